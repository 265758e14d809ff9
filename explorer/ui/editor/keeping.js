// The session's program in this browser: stored while typing; a button or Ctrl+Z restores the one it replaced.

import { make, press, textOf } from "../../drawing/notebook/paint.js";
import { find, keep, open, replaced, title } from "../session/programs.js";
import { replaceText } from "./editor.js";

/** @typedef {import("./types").State} State */

const PAUSE = 500; // ms after the last key

/** @param {State} state */
const texts = (state) => state.cells.map(textOf);

/** @param {State} state */
const isUntouched = (state) => JSON.stringify(texts(state)) === state.asOpened;

// Another program may have arrived, or the same one on a reloaded page.
/** @param {State} state */
export function arrived(state) {
  const { key, ours } = state.origin ?? {};
  if (!key || state.key === key) return;
  state.key = key;
  state.keptAs = "";
  state.undone = state.redo;
  state.redo = "";
  state.asOpened = JSON.stringify(texts(state));
  state.touched = Boolean(find(key)?.touched);
  state.before = replaced(key, Boolean(ours));
  offer(state);
}

// Stores the program with the latest text; if the server has not answered yet, also the text before it.
/** @param {State} state */
export function keepNow(state) {
  clearTimeout(state.keeping);
  if (!state.origin?.key || state.origin.key !== state.key) return;
  const now = texts(state), unsent = state.known && JSON.stringify(now) !== JSON.stringify(state.known);
  const cells = state.cells.map((cell) => /** @type {[number, string]} */ ([cell.id, textOf(cell)]));
  const touched = state.touched || !isUntouched(state), origin = { ...state.origin, ours: state.origin.ours && !touched };
  const kept = { before: state.before, touched, cells, origin, known: unsent ? state.known : undefined, sent: unsent ? state.unanswered : undefined }, as = JSON.stringify(kept);
  if (as !== state.keptAs) keep({ at: Date.now(), ...kept });
  state.keptAs = as;
}

/** @param {State} state */
export function keepSoon(state) {
  clearTimeout(state.keeping);
  state.keeping = setTimeout(() => keepNow(state), PAUSE);
}

// What was typed and not answered yet when the page was left, in the place of what it was typed into: the last answer, or
// an edit that the server took in after that. Returns whether there was something.
/** @param {State} state */
export function typeUnsent(state) {
  const kept = find(state.origin?.key);
  if (!kept?.known || kept.cells.length !== state.cells.length) return false;
  const there = JSON.stringify(texts(state));
  if (![kept.known, ...(kept.sent ?? [])].some((one) => JSON.stringify(one) === there)) return false;
  if (JSON.stringify(kept.cells.map((cell) => cell[1])) === there) return false;
  const focused = document.activeElement;
  state.cells.forEach((cell, i) => {
    replaceText(state, cell, kept.cells[i][1]);
    if (focused !== cell.area) cell.area.blur(); // to write in it has put the caret there
  });
  return true;
}

/** @param {State} state */
function offer(state) {
  const kept = find(state.before), { words } = state;
  state.back?.remove();
  if (!kept || kept.origin.ours || kept.closed) return;
  const go = press("go", words.back, () => open(kept, true)), name = make("span", "of");
  const close = press("close", "×", () => {
    state.back?.remove();
    keep({ ...kept, closed: true });
  });
  close.setAttribute("aria-label", words.close);
  name.textContent = title(kept);
  state.back = make("div", "backto");
  state.back.append(go, name, close);
  state.root.prepend(state.back);
}

// Ctrl+Z when the browser has nothing to undo: the previous program; Ctrl+Y and Ctrl+Shift+Z: the next one.
/** @param {State} state @param {KeyboardEvent} event */
export function undoes(state, event) {
  const pressed = event.key.toLowerCase(), redo = pressed === "y" || (pressed === "z" && event.shiftKey);
  if (state.apart || !(event.ctrlKey || event.metaKey) || event.altKey || !(redo || pressed === "z")) return;
  const field = /** @type {HTMLElement | null} */ (document.activeElement?.closest("textarea, [contenteditable], input:not([type=file], [type=range], [type=checkbox], [type=radio])"));
  if (field && !state.root.contains(field)) return;
  let heard = false;
  const hear = () => void (heard = true);
  state.root.addEventListener("input", hear, true);
  setTimeout(() => {
    state.root.removeEventListener("input", hear, true);
    const kept = find(redo ? state.undone : state.before);
    if (heard || !kept || !isUntouched(state) || (state.touched && !redo)) return;
    keepNow(state);
    state.redo = redo ? "" : state.key;
    open(kept, true);
  });
}
