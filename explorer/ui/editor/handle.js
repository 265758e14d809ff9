// A cell's handle: a slider under one of its numbers, that of the pointer, of the caret, or its first. The first number of
// a program shows it until one was turned.

import { turnable, valueOf, writtenAs } from "./numbers.js";
import { padOf, textOf } from "../../drawing/notebook/paint.js";
import { atCaret, boxOf, numbersIn } from "./spots.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Cell} Cell */
/** @typedef {import("./types").Token} Token */

const USED = "explorer-scrubbed";

// The browser may refuse to remember.
/** @param {string} [value] */
export function remembered(value) {
  try {
    if (value) localStorage.setItem(USED, value);
    return localStorage.getItem(USED);
  } catch {
    return null;
  }
}

/** @param {State} state */
export function known(state) {
  if (state.used) return;
  state.used = true;
  remembered("1");
}

// The number under a resting pointer shows that it can be taken.
/** @param {State} state @param {Cell} cell @param {Token | null | undefined} token */
export function reach(state, cell, token) {
  const start = token?.start ?? null;
  if (state.turn || (cell.reached ?? null) === start) return;
  cell.reached = start;
  cell.area.style.cursor = token ? "ew-resize" : "";
  handles(state);
}

/** @param {State} state */
export function handles(state) {
  let hint = !state.used && state.cells.length > 0;
  for (const cell of state.cells) {
    const text = textOf(cell);
    const turned = state.turn?.cell === cell ? state.turn : null;
    const all = numbersIn(cell);
    const inTurn = turned && all.find(({ start }) => start >= turned.number.from);
    const held = document.activeElement === cell.handle && all.find(({ start }) => start === cell.token?.start);
    const caret = document.activeElement === cell.area && !cell.typed && !turned ? atCaret(cell) : null;
    const reached = all.find(({ start }) => start === cell.reached);
    const last = all.find(({ start }) => start === cell.token?.start);
    const wanted = inTurn || held || reached || caret;
    const token = wanted || (!hint && last) || all[0];
    const shown = wanted || (hint && token === all[0]);
    if (hint && all.length) hint = false;
    cell.token = token;
    cell.handle.hidden = !token;
    if (!token) continue;
    const number = turned?.number ?? turnable(text, token);
    const units = turned?.units ?? number.units;
    cell.handle.classList.toggle("is-shown", Boolean(shown));
    cell.handle.classList.toggle("is-turning", Boolean(turned));
    const box = shown && boxOf(cell, token.start, token.end); // of one that is not seen nothing is measured
    if (box) {
      const pad = padOf(cell).getBoundingClientRect();
      cell.handle.style.left = `${box.left - pad.left}px`;
      cell.handle.style.top = `${box.top - pad.top}px`;
      cell.handle.style.width = `${box.width}px`;
    }
    const line = text.slice(0, token.start).split("\n").length;
    cell.handle.setAttribute("aria-label", state.words.number.replace("@", String(line)));
    cell.handle.setAttribute("aria-valuenow", String(valueOf(number, units)));
    cell.handle.setAttribute("aria-valuetext", writtenAs(number, units).replace(/[()]/g, ""));
  }
}
