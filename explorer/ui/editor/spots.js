// Where the numbers of a cell stand in its drawn text: under the pointer, at the caret.

import { numbersOf } from "./numbers.js";
import { rangeOf, textOf, toPoints } from "./paint.js";

// The numbers of a cell, looked for once per text.
export function numbersIn(cell) {
  const text = textOf(cell);
  if (cell.counted?.text !== text) cell.counted = { text, all: numbersOf(text) };
  return cell.counted.all;
}

// Where a part of the drawn text stands, seen from its cell.
export function boxOf(cell, start, end) {
  const text = textOf(cell);
  const before = text.slice(0, start).split("\n");
  const column = toPoints(before.at(-1), before.at(-1).length);
  const range = rangeOf(cell, [before.length, column, before.length, column + end - start]);
  return range?.getBoundingClientRect() ?? null;
}

// The number under the pointer.
export function under(cell, event, slop = 1) {
  const text = textOf(cell);
  const style = getComputedStyle(cell.area);
  const top = cell.area.getBoundingClientRect().top + parseFloat(style.paddingTop);
  const line = Math.floor((event.clientY - top) / parseFloat(style.lineHeight));
  const all = text.split("\n");
  if (line < 0 || line >= all.length) return null;
  const from = all.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0);
  const away = ({ start, end }) => {
    const box = boxOf(cell, start, end);
    return box ? Math.max(box.left - event.clientX, event.clientX - box.right) : Infinity;
  };
  const near = numbersIn(cell).filter(({ start }) => start >= from && start <= from + all[line].length);
  return near.map((one) => [away(one), one]).sort((a, b) => a[0] - b[0]).find(([gap]) => gap <= slop)?.[1] ?? null;
}

export function atCaret(cell) {
  const { selectionStart: from, selectionEnd: to } = cell.area;
  return from === to ? numbersIn(cell).find(({ start, end }) => start <= from && from <= end) : null;
}
