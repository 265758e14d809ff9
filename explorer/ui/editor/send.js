// The editor's message to the server: everything in one value, `edit`, at once or after a pause.

import { textOf, toPoints } from "../../drawing/notebook/paint.js";
import { place } from "./typing.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Turn} Turn */
/** @typedef {import("./types").Place} Place */
/** @typedef {import("./types").Act} Act */
/** @typedef {import("./types").Origin} Origin */
/** @typedef {import("./types").Typed} Typed */

// ms from the last key until the program runs. Short while the server answers at once, longer for a slow one, because a
// run replaced by the next key costs other waiting users.
const SHORTEST = 60, LONGEST = 500, AT_ONCE = 150;
const SETTLE = 1200; // ms more until a line that is being typed counts as finished

const MOST = 50; // edits whose texts are kept until they are answered

/** @param {State} state @param {Turn} turn @returns {Place} */
export const placeOfTurn = (state, { cell, text, number }) => {
  const before = text.slice(0, number.from).split("\n");
  const last = before[before.length - 1];
  return [state.cells.indexOf(cell), before.length, toPoints(last, last.length)];
};

/** @param {State} state @returns {Place | null} */
export function cursor(state) {
  if (state.turn) return placeOfTurn(state, state.turn);
  const i = state.cells.findIndex((cell) => cell.area === document.activeElement);
  return i < 0 ? null : [i, ...place(state.cells[i].area)];
}

/** @param {State} state @param {{ upto?: number | null, settled?: boolean, act?: Act | null, origin?: Origin | null }} how */
export function send(state, { upto = null, settled = false, act = null, origin = null } = {}) {
  clearTimeout(state.timer);
  state.count = Math.max(state.count + 1, Date.now());
  state.ran = state.revision;
  state.sent = performance.now();
  state.sentLengths = lengths(state);
  state.gone = state.cells.map(textOf);
  state.unanswered = [...state.unanswered.slice(-MOST), state.gone];
  if (act && act.do !== "open") state.act = { act, count: state.count };
  const here = state.cells.find((cell) => cell.area === document.activeElement);
  if (here) state.past.set(state.count, { id: here.id, text: here.area.value, caret: here.area.selectionStart });
  if (state.past.size > MOST) state.past.delete(/** @type {number} */ (state.past.keys().next().value));
  state.setStateValue("edit", {
    count: state.count,
    revision: state.revision,
    cells: state.cells.map((cell) => [cell.id, textOf(cell)]),
    cursor: cursor(state),
    upto,
    settled,
    act: act ?? state.act?.act ?? null, // the next message may replace the one that had it
    asked: act ? null : (state.act?.count ?? null),
    origin,
    have: state.cells.flatMap((cell) => [cell.shown.note, cell.shown.outs]).filter(Boolean),
  });
}

// The server created other cells from an edit. Text typed since then is in none of them and is sent again here.
/** @param {State} state @param {number} count @returns {Typed | null} */
export function typedSince(state, count) {
  const sent = state.past.get(count);
  const now = state.cells.find((cell) => cell.id === sent?.id)?.area.value;
  if (!sent || now === undefined || now === sent.text || count <= state.divided) return null;
  let head = 0, tail = 0;
  while (head < sent.caret && head < now.length && now[head] === sent.text[head]) head++;
  const most = Math.min(sent.text.length - sent.caret, now.length - head);
  while (tail < most && now.at(-1 - tail) === sent.text.at(-1 - tail)) tail++;
  const after = sent.text.length - sent.caret - tail;
  const begins = head === sent.caret && "\n".includes(sent.text.slice(0, head).slice(-1));
  return { piece: now.slice(head, now.length - tail), before: sent.caret - head, after, begins };
}

// The number of lines per cell: an answer about others would misplace its results.
/** @param {State} state */
export const lengths = (state) => state.cells.map((cell) => textOf(cell).split("\n").length).join();

/** @param {State} state */
export function soon(state) {
  clearTimeout(state.timer);
  const wait = SHORTEST + 2 * Math.max(0, state.took - AT_ONCE);
  if (!state.composing) state.timer = setTimeout(() => send(state), Math.min(wait, LONGEST));
}

// How long the last answer took: until its picture was drawn, or until the editor heard that there is none.
/** @param {State} state */
export function timed(state) {
  if (state.timed === state.count) return;
  state.timed = state.count;
  state.took = performance.now() - state.sent;
}

// A program that fails during typing stops running, but shows its error once the line is left or time passes.
/** @param {State} state */
export function settle(state) {
  clearTimeout(state.settling);
  if (state.typing && !state.turn) state.settling = setTimeout(() => state.typing && send(state, { settled: true }), SETTLE);
}
