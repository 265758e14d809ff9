// The frames of a film, sent once for a run and kept beside the page: the time line plays them (strip.js).

import { part } from "../../../drawing/dom.js";

/** @param {Page<{ what: "frames" | "bodies", key: string, packed: string }>} page */
export function mount({ data, parentElement }) {
  part(parentElement, ".reel").hidden = true;
  const reel = (globalThis.explorerReel ??= {});
  reel[data.what] = { key: data.key, packed: data.packed };
  document.dispatchEvent(new Event("explorer:reel"));
}
