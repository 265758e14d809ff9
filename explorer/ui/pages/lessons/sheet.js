// The button that prints.

import { part } from "../../../drawing/dom.js";

/** @param {Page<{ words: string }>} page */
export function mount({ data, parentElement }) {
  const button = part(parentElement, "button");
  button.textContent = data.words;
  button.onclick = () => print();
}
