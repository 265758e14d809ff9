// The app inside another page: its part is marked on the root for the style sheet; a link leads to the full page.

import { part } from "../../drawing/dom.js";

/** @typedef {{ view: string, first: boolean, words: Record<string, string> }} Data */

// The same address without the embedding options; only the browser knows its fragment.
/** @param {boolean} first */
function full(first) {
  const url = new URL(location.href);
  for (const name of [...url.searchParams.keys()]) if (name.startsWith("embed")) url.searchParams.delete(name);
  if (first) url.searchParams.delete("view");
  return url.href;
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement }) {
  const line = part(parentElement, ".embed-head");
  document.documentElement.dataset.embed = data.view;
  if (!line.childElementCount) {
    const name = document.createElement("b"), link = document.createElement("a");
    Object.assign(link, { target: "_blank", rel: "noopener" });
    const aim = () => (link.href = full(data.first));
    for (const before of ["pointerdown", "mouseover", "focus", "click"]) link.addEventListener(before, aim);
    line.append(name, link);
  }
  part(line, "b").innerHTML = data.words.name; // escaped by the server
  const link = /** @type {HTMLAnchorElement} */ (part(line, "a"));
  link.innerHTML = `${data.words.full} ↗`;
  link.href = full(data.first);
  return (ended) => {
    if (ended) delete document.documentElement.dataset.embed;
  };
}
