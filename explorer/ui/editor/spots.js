// Positions of a cell's numbers in its drawn text: under the pointer, at the cursor.

import { numbersOf, turnable, valueOf } from "./numbers.js";
import { rangeOf, textOf, toPoints, toUnits } from "../../drawing/notebook/paint.js";

/** @typedef {import("./types").Cell} Cell */
/** @typedef {import("./types").Token} Token */

// The numbers of a cell, looked for once per text.
/** @param {Cell} cell */
export function numbersIn(cell) {
  const text = textOf(cell);
  if (cell.counted?.text !== text) cell.counted = { text, all: numbersOf(text) };
  return cell.counted.all;
}

// The number of a span that has a value, such as a leaf's entry.
/** @param {Cell} cell @param {CellSpan} span @param {number} was @param {number} entry */
export function numberIn(cell, [, line, column, endLine, endColumn], was, entry) {
  const text = textOf(cell), lines = text.split("\n");
  const offset = (/** @type {number} */ row, /** @type {number} */ at) =>
    lines.slice(0, row - 1).reduce((sum, one) => sum + one.length + 1, 0) + toUnits(lines[row - 1] ?? "", at);
  const [from, until] = [offset(line, column), offset(endLine, endColumn)];
  const within = numbersIn(cell).filter(({ start, end: stop }) => start >= from && stop <= until);
  const has = (/** @type {Token} */ token) => {
    const number = turnable(text, token);
    return Math.abs(valueOf(number, number.units) - was) <= 1e-6 * (1 + Math.abs(was));
  };
  const equal = within.filter(has);
  return within[entry] && has(within[entry]) ? within[entry] : equal.length === 1 ? equal[0] : null;
}

// The position of a part of the drawn text, relative to its cell.
/** @param {Cell} cell @param {number} start @param {number} end */
export function boxOf(cell, start, end) {
  const text = textOf(cell);
  const before = text.slice(0, start).split("\n");
  const last = before[before.length - 1];
  const column = toPoints(last, last.length);
  const range = rangeOf(cell, [before.length, column, before.length, column + end - start]);
  return range?.getBoundingClientRect() ?? null;
}

// The number under the pointer.
/** @param {Cell} cell @param {MouseEvent} event @param {number} [slop] */
export function under(cell, event, slop = 1) {
  const text = textOf(cell);
  const style = getComputedStyle(cell.area);
  const top = cell.area.getBoundingClientRect().top + parseFloat(style.paddingTop);
  const line = Math.floor((event.clientY - top) / parseFloat(style.lineHeight));
  const all = text.split("\n");
  if (line < 0 || line >= all.length) return null;
  const from = all.slice(0, line).reduce((sum, row) => sum + row.length + 1, 0);
  const away = (/** @type {Token} */ { start, end }) => {
    const box = boxOf(cell, start, end);
    return box ? Math.max(box.left - event.clientX, event.clientX - box.right) : Infinity;
  };
  const near = numbersIn(cell).filter(({ start }) => start >= from && start <= from + all[line].length);
  const nearest = near.map((token) => ({ token, gap: away(token) })).sort((a, b) => a.gap - b.gap)[0];
  return nearest && nearest.gap <= slop ? nearest.token : null;
}

/** @param {Cell} cell */
export function atCaret(cell) {
  const { selectionStart: from, selectionEnd: to } = cell.area;
  return from === to ? numbersIn(cell).find(({ start, end }) => start <= from && from <= end) : null;
}
