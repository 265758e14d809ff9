// A cell's handle: a slider under one of its numbers: the pointer's, the cursor's, or the most interesting one, which Tab
// reaches. It is shown under the pointer's and the cursor's.

import { telling, turnable, valueOf, writtenAs } from "./numbers.js";
import { padOf, textOf } from "../../drawing/notebook/paint.js";
import { atCaret, boxOf, numbersIn } from "./spots.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Cell} Cell */
/** @typedef {import("./types").Token} Token */

const EDGE = 16; // px in which a line fades

// The number under a resting pointer shows that it can be taken.
/** @param {State} state @param {Cell} cell @param {Token | null | undefined} token */
export function reach(state, cell, token) {
  const start = token?.start ?? null;
  if (state.turn || (cell.reached ?? null) === start) return;
  cell.reached = start;
  cell.area.style.cursor = token ? "ew-resize" : "";
  handles(state);
}

// Whether a part of the drawn text is between the numbers of the lines and the edge.
/** @param {Cell} cell @param {DOMRect | null} box */
function inView(cell, box) {
  const { left, right } = cell.area.getBoundingClientRect();
  return box !== null && box.left >= left + parseFloat(getComputedStyle(cell.area).paddingLeft) - 1 && box.right <= right - EDGE;
}

/** @param {State} state */
export function handles(state) {
  for (const cell of state.cells) {
    const text = textOf(cell);
    const turned = state.turn?.cell === cell ? state.turn : null;
    const all = numbersIn(cell);
    const inTurn = turned && all.find(({ start }) => start >= turned.number.from);
    const held = document.activeElement === cell.handle && all.find(({ start }) => start === cell.token?.start);
    const caret = document.activeElement === cell.area && !cell.typed && !turned ? atCaret(cell) : null;
    const reached = all.find(({ start }) => start === cell.reached);
    const last = all.find(({ start }) => start === cell.token?.start);
    // Tab leads from the caret to the next number, whatever was turned before.
    const next = document.activeElement === cell.area && all.find(({ end }) => end >= cell.area.selectionStart);
    const shown = inTurn || held || reached || caret;
    const token = shown || next || last || telling(text, all);
    cell.token = token;
    cell.handle.hidden = !token;
    if (!token) continue;
    const number = turned?.number ?? turnable(text, token);
    const units = turned?.units ?? number.units;
    cell.handle.classList.toggle("is-turning", Boolean(turned));
    const box = shown && boxOf(cell, token.start, token.end); // hidden ones are not measured
    cell.handle.classList.toggle("is-shown", Boolean(box && inView(cell, box)));
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
