// What was typed and not answered yet when the page was loaded anew: it is typed again.

import { textOf } from "../../drawing/notebook/paint.js";
import { replaceText } from "./editor.js";

/** @typedef {import("./types").State} State */

const KEY = "explorer:unsent";

/** @param {State} state */
const texts = (state) => state.cells.map(textOf);

/** @param {State} state */
export function keepUnsent(state) {
  const now = texts(state);
  if (state.apart || !state.known || JSON.stringify(now) === JSON.stringify(state.known)) return;
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ path: location.pathname, known: state.known, texts: now }));
  } catch {
    // nothing can be kept here
  }
}

// Put what was typed in the place of the texts that it was typed into. Returns whether there was something.
/** @param {State} state */
export function typeUnsent(state) {
  if (state.apart) return false;
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    sessionStorage.removeItem(KEY);
    const there = JSON.stringify(texts(state));
    if (kept?.path !== location.pathname || JSON.stringify(kept.known) !== there || kept.texts.length !== state.cells.length) return false;
    const focused = document.activeElement;
    state.cells.forEach((cell, i) => {
      replaceText(state, cell, kept.texts[i]);
      if (focused !== cell.area) cell.area.blur(); // to write in it has put the caret there
    });
    return true;
  } catch {
    return false;
  }
}
