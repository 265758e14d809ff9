// The frames of a film, sent once per run and stored next to the page: the timeline requests and plays them (strip.js).

import { part } from "../../../drawing/dom.js";

/** @param {Page<{ what: "frames" | "bodies" | "line", key: string, packed: string }>} page @returns {Stop | void} */
export function mount({ data, parentElement, setStateValue }) {
  part(parentElement, ".reel").hidden = true;
  const reel = (globalThis.explorerReel ??= {});
  if (data.packed) {
    reel[data.what] = { key: data.key, packed: data.packed };
    document.dispatchEvent(new Event("explorer:reel"));
    return;
  }
  const ask = () => {
    if (reel.wanted !== data.key) return;
    reel.wanted = "";
    setStateValue("wanted", data.key);
  };
  ask();
  document.addEventListener("explorer:want", ask);
  return () => document.removeEventListener("explorer:want", ask);
}
