// Pointing to and from the graph: which part of the drawn text is meant, and which is lit.

import { highlight, rangeOf, textOf } from "../../drawing/notebook/paint.js";
import { cursor } from "./send.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Cell} Cell */
/** @typedef {import("./types").Place} Place */

// Ranges that are lit: by the graph's hovered and selected cards, by errors, by what has no effect.
/** @param {State} state */
export function mark(state) {
  const ranges = (/** @type {CellSpan[]} */ spans) =>
    spans.map(([at, ...span]) => state.cells[at] && rangeOf(state.cells[at], span));
  if (!state.apart) ranged(state, ranges);
  written(state);
  state.cells.forEach((cell, i) => {
    const lit = new Set(state.lit.select.filter((span) => span[0] === i).map((span) => span[1]));
    const wrong = new Set(cell.faults.map((fault) => fault[0]));
    [...cell.paint.children].forEach((row, k) => {
      row.classList.toggle("is-lit", lit.has(k + 1));
      row.classList.toggle("is-bad", wrong.has(k + 1));
    });
  });
}

// The line being edited, where the code has priority. Not while a number is turned, when its gradient matters.
/** @param {State} state */
export function written(state) {
  const [at, line] = (!state.turn && cursor(state)) || [];
  state.cells.forEach(({ paint }, i) =>
    [...paint.children].forEach((row, k) => row.classList.toggle("is-caret", i === at && k + 1 === line)));
}

// The browser has one set of ranges per page: the focused editor's.
/** @param {State} state @param {(spans: CellSpan[]) => (Range | null | undefined)[]} ranges */
function ranged(state, ranges) {
  highlight("explorer-hover", ranges(state.lit.hover));
  highlight("explorer-select", ranges(state.lit.select));
  for (const kind of /** @type {const} */ (["fault", "idle"])) {
    const marked = state.cells.flatMap((cell, i) =>
      (kind === "idle" ? cell.idle : cell.faults).map((span) => /** @type {CellSpan} */ ([i, ...span.slice(0, 4)])),
    );
    highlight(`explorer-${kind}`, ranges(marked));
  }
}

/** @param {Span} span @param {[line: number, column: number]} place */
const within = ([line, column, endLine, endColumn], [at, where]) =>
  (line < at || (line === at && column <= where)) && (at < endLine || (at === endLine && where <= endColumn));
/** @param {Span} span */
const size = ([line, column, endLine, endColumn]) => (endLine - line) * 10_000 + endColumn - column;

// Tells the graph which expression is meant: the smallest one around a place that has a card, otherwise the line.
/** @param {State} state @param {Place | null} at @param {Pointed["kind"]} kind */
export function point(state, at, kind) {
  if (state.apart) return;
  /** @type {CellSpan[]} */
  let spans = [];
  if (at) {
    const [number, line, column] = at;
    const cell = state.cells[number];
    const found = cell.spans.filter((span) => within(span, [line, column])).sort((a, b) => size(a) - size(b))[0];
    const text = textOf(cell).split("\n")[line - 1] ?? "";
    spans = [[number, ...(found ?? [line, 0, line, [...text].length])]];
  }
  const text = JSON.stringify(spans);
  if (state.pointed[kind] === text) return;
  state.pointed[kind] = text;
  document.dispatchEvent(new CustomEvent("explorer:point", { detail: { spans, source: "editor", kind } }));
}

const ruler = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));

/** @param {State} state @param {Cell} cell @param {MouseEvent} event */
export function hover(state, cell, event) {
  cancelAnimationFrame(state.frame ?? 0);
  state.frame = requestAnimationFrame(() => {
    const { line, column, inside } = placeUnder(cell, event);
    under(state, cell.paint.children[line]);
    point(state, inside ? [state.cells.indexOf(cell), line + 1, column] : null, "hover");
  });
}

// The line under the pointer.
/** @param {State} state @param {Element} [line] */
export function under(state, line) {
  for (const { paint } of state.cells) paint.querySelector(".is-under")?.classList.remove("is-under");
  line?.classList.add("is-under");
}

// The character under the pointer: line from 0, column, and whether there is one at all.
/** @param {Cell} cell @param {MouseEvent} event */
export function placeUnder(cell, event) {
  const style = getComputedStyle(cell.area);
  const box = cell.area.getBoundingClientRect();
  const line = Math.floor((event.clientY - box.top - parseFloat(style.paddingTop)) / parseFloat(style.lineHeight));
  const x = event.clientX - box.left - parseFloat(style.paddingLeft) + cell.area.scrollLeft;
  const text = [...(textOf(cell).split("\n")[line] ?? "")];
  ruler.font = `${style.fontSize} ${style.fontFamily}`;
  let column = 0;
  while (column < text.length && ruler.measureText(text.slice(0, column + 1).join("")).width <= x) column++;
  return { line, column, inside: line >= 0 && x >= 0 && column < text.length };
}

/** @param {State} state @param {Pointed} target */
export function pointed(state, { spans, source, kind, again }) {
  if (source === "editor") return;
  state.lit[kind === "select" ? "select" : "hover"] = spans ?? [];
  mark(state);
  if (kind !== "select" || !spans?.length || again) return;
  const [at, line] = spans[0];
  state.cells[at]?.paint.children[line - 1]?.scrollIntoView({ block: "nearest" });
}
