// The picture of one operation: pointing at an entry lights those it was computed from, and those computed from it.
// Squares are the server's (data-at, data-from); only classes and the line below change here.

import { part, targetOf } from "../../drawing/dom.js";

/** @typedef {{ figure: HTMLElement, cells: HTMLElement[], links: Map<string, Set<string>> }} State */

/** @type {Record<string, [down: number, right: number]>} */
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** @param {HTMLElement} root */
const cells = (root) => [...root.querySelectorAll(".op-row .op-cell")];

/** @param {HTMLElement} cell */
const atOf = (cell) => cell.dataset.at ?? "";

// Who reads a square, and which squares it reads: both ways of data-from.
/** @param {HTMLElement} root */
function links(root) {
  /** @type {Map<string, Set<string>>} */
  const found = new Map(cells(root).map((cell) => [atOf(cell), new Set()]));
  for (const cell of cells(root)) {
    for (const at of cell.dataset.from?.split(" ") ?? []) {
      found.get(atOf(cell))?.add(at);
      found.get(at)?.add(atOf(cell));
    }
  }
  return found;
}

/** @param {State} state @param {HTMLElement | null} cell */
function say(state, cell) {
  const line = part(state.figure, ".op-entry");
  const back = state.figure.classList.contains("is-back");
  const rest = back ? line.dataset.restBack : line.dataset.rest;
  const words = cell ? (back && cell.dataset.back) || cell.getAttribute("aria-label") : rest;
  if (line.textContent !== words) line.textContent = words ?? "";
}

/** @param {State} state @param {HTMLElement | null} cell */
function point(state, cell) {
  const read = cell ? state.links.get(atOf(cell)) : undefined;
  state.figure.classList.toggle("is-pointing", Boolean(read?.size));
  for (const other of state.cells) {
    other.classList.toggle("is-chosen", other === cell);
    other.classList.toggle("is-read", Boolean(read?.has(atOf(other))));
  }
  say(state, cell);
}

/** @param {HTMLElement} cell */
const gridOf = (cell) => /** @type {HTMLElement} */ (cell.closest(".op-grid"));

/** @param {HTMLElement} cell @param {string} key @returns {Element | null | undefined} */
function walk(cell, key) {
  const line = /** @type {HTMLElement} */ (cell.parentElement);
  const rows = [...gridOf(cell).children];
  const row = rows.indexOf(line), column = [...line.children].indexOf(cell);
  if (key === "Home" || key === "End") return line[key === "Home" ? "firstElementChild" : "lastElementChild"];
  const [down, right] = STEPS[key];
  return rows[row + down]?.children[column + right];
}

/** @param {HTMLElement} cell */
function focus(cell) {
  for (const other of gridOf(cell).querySelectorAll(".op-cell")) other.tabIndex = -1;
  cell.tabIndex = 0;
  cell.focus();
}

/** @param {State} state */
function ways(state) {
  for (const button of state.figure.querySelectorAll(".op-ways button")) {
    button.addEventListener("click", () => {
      state.figure.classList.toggle("is-back", button.dataset.way === "back");
      for (const other of state.figure.querySelectorAll(".op-ways button"))
        other.setAttribute("aria-pressed", String(other === button));
      say(state, null);
    });
  }
}

// Whether the result lacks room next to the operands and is below them.
/** @param {HTMLElement} root */
function wrapped(root) {
  for (const row of root.querySelectorAll(".op-row")) {
    row.classList.remove("is-wrapped");
    const [operands, result] = /** @type {HTMLCollectionOf<HTMLElement>} */ (row.children);
    if (result) row.classList.toggle("is-wrapped", result.offsetTop >= operands.offsetTop + operands.offsetHeight);
  }
  for (const side of root.querySelectorAll(".op-row .op-side")) goesOn(side);
}

// A cut side fades at the cut, as a sign that it scrolls.
/** @param {Element} side */
function goesOn(side) {
  side.classList.toggle("goes-on", side.scrollLeft + side.clientWidth < side.scrollWidth - 1);
  side.classList.toggle("goes-down", side.scrollTop + side.clientHeight < side.scrollHeight - 1);
}

/** @param {Page<{ html: string, stale: boolean }>} page */
export function mount({ data, parentElement }) {
  const root = /** @type {HTMLElement & { shown?: string, explorerWatch?: ResizeObserver }} */ (part(parentElement, ".operations"));
  if (root.shown === data.html) {
    root.classList.toggle("is-stale", data.stale);
    return;
  }
  const back = root.querySelector(".operation.is-back") !== null;
  root.shown = data.html;
  root.innerHTML = data.html; // escaped by the server
  root.classList.toggle("is-stale", data.stale);
  const figure = root.querySelector(".operation");
  if (!figure) return;
  const state = { figure, cells: cells(figure), links: links(figure) };
  for (const grid of figure.querySelectorAll(".op-row .op-grid")) {
    const first = grid.querySelector(".op-cell");
    if (first) first.tabIndex = 0;
  }
  figure.addEventListener("pointerover", (event) => {
    const cell = targetOf(event).closest(".op-row .op-cell");
    if (cell) point(state, cell);
  });
  part(figure, ".op-row").addEventListener("pointerleave", () => {
    const held = figure.querySelector(".op-cell:focus");
    point(state, held);
  });
  figure.addEventListener("scroll", (event) => targetOf(event).matches(".op-side") && goesOn(targetOf(event)), true);
  figure.addEventListener("click", (event) => {
    const cell = targetOf(event).closest(".op-row .op-cell");
    if (cell) focus(cell);
  });
  figure.addEventListener("focusin", (event) => point(state, targetOf(event).closest(".op-row .op-cell")));
  figure.addEventListener("focusout", () => point(state, null));
  figure.addEventListener("keydown", (event) => {
    const cell = targetOf(event).closest(".op-row .op-cell");
    if (event.key === "Escape" && cell) return cell.blur();
    if (!cell || !(event.key in STEPS || event.key === "Home" || event.key === "End")) return;
    event.preventDefault();
    const next = walk(cell, event.key);
    if (next instanceof HTMLElement) focus(next);
  });
  ways(state);
  if (back) figure.querySelector('[data-way="back"]')?.click();
  root.explorerWatch ??= new ResizeObserver(() => wrapped(root)); // it also reports the first size
  root.explorerWatch.disconnect();
  root.explorerWatch.observe(root);
  wrapped(root);
}
