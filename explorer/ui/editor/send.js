// What the editor says to the server: all of it in one value, `edit`, at once or after a pause.

import { textOf, toPoints } from "./paint.js";
import { place } from "./typing.js";

const PAUSE = 300; // ms after the last key until the program runs
const SETTLE = 1200; // ms more until a line that is being typed counts as finished

const placeOfTurn = (state) => {
  const { cell, text, number } = state.turn;
  const before = text.slice(0, number.from).split("\n");
  return [state.cells.indexOf(cell), before.length, toPoints(before.at(-1), before.at(-1).length)];
};

export function cursor(state) {
  if (state.turn) return placeOfTurn(state);
  const i = state.cells.findIndex((cell) => cell.area === document.activeElement);
  return i < 0 ? null : [i, ...place(state.cells[i].area)];
}

export function send(state, { upto = null, settled = false, act = null } = {}) {
  clearTimeout(state.timer);
  state.count = Math.max(state.count + 1, Date.now());
  state.ran = state.revision;
  state.sent = performance.now();
  state.told = lengths(state);
  state.setStateValue("edit", {
    count: state.count,
    revision: state.revision,
    cells: state.cells.map((cell) => [cell.id, textOf(cell)]),
    cursor: cursor(state),
    upto,
    settled,
    act,
    have: state.cells.flatMap((cell) => [cell.shown.note, cell.shown.outs]).filter(Boolean),
  });
}

// How many lines each cell has: an answer about others would put its results beside the wrong ones.
export const lengths = (state) => state.cells.map((cell) => textOf(cell).split("\n").length).join();

export function soon(state) {
  clearTimeout(state.timer);
  if (!state.composing) state.timer = setTimeout(() => send(state), PAUSE);
}

// A program that failed where somebody types runs no more, but is told in red once the line is left or time passes.
export function settle(state) {
  clearTimeout(state.settling);
  if (state.typing && !state.turn) state.settling = setTimeout(() => state.typing && send(state, { settled: true }), SETTLE);
}
