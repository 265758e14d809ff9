// The filter follows what is typed: Streamlit's field would tell it only after Enter, which is pressed here after a pause.

import { targetOf } from "../../drawing/dom.js";

const PAUSE = 250; // ms

/** @param {Page<{ field: string }>} page @returns {Stop} */
export function mount({ data }) {
  let later = 0;
  const typed = (/** @type {Event} */ event) => {
    const field = targetOf(event);
    if (!field.matches(`.st-key-${data.field} input`)) return;
    clearTimeout(later);
    later = setTimeout(() => {
      for (const name of ["keydown", "keypress"])
        field.dispatchEvent(new KeyboardEvent(name, { key: "Enter", code: "Enter", keyCode: 13, charCode: 13, bubbles: true }));
    }, PAUSE);
  };
  document.addEventListener("input", typed);
  return () => {
    clearTimeout(later);
    document.removeEventListener("input", typed);
  };
}
