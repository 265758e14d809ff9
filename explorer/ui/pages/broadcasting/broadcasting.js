// The picture of a broadcast under a person's hands: a cell that is chosen lights what belongs to it, and its sentence is
// said; all of that without the server. The server hears of the choice for the address, and draws another part when the
// choice leaves what is shown.

import { part, targetOf } from "../../../drawing/dom.js";

/**
 * What the server sends (parts.py): `r` and `s` are the entry that is chosen, of the result or of an operand; `words`
 * are HTML by entry.
 * @typedef {{ html: string, words: Record<string, string>, shape: number[], at: number[], r: string, s: string | null,
 *   stale: boolean, about: string, handled: number | null }} Data
 */
/**
 * @typedef {{ root: HTMLElement, told: HTMLElement, count: number, data: Data, mine: number, html?: string,
 *   about?: string, follow?: boolean, timer?: number, chosen: { r: string, s?: string | null },
 *   set(name: string, value: unknown): void }} State
 */

/** @param {State} state @param {string} r */
const cellsOf = (state, r) => [...state.root.querySelectorAll(".c[data-r]")].filter((cell) => cell.dataset.r === r);
/** @param {State} state @param {string} s */
const readingsOf = (state, s) => [...state.root.querySelectorAll(".c[data-s]")].filter((cell) => cell.dataset.s === s);
/** @type {Record<string, [down: number, right: number]>} */
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// Either an entry of the result (r) with what it read, or an entry of an operand (s) with all its readings.
/** @param {State} state @param {string} r @param {string | null | undefined} s */
function light(state, r, s) {
  const lit = new Set(s ? readingsOf(state, s) : cellsOf(state, r));
  for (const cell of [...lit]) {
    if (s && cell.dataset.r) for (const other of cellsOf(state, cell.dataset.r)) if (!other.dataset.s) lit.add(other);
    if (!s && cell.dataset.s)
      for (const other of readingsOf(state, cell.dataset.s)) if (!other.dataset.r || !other.classList.contains("ghost")) lit.add(other);
  }
  for (const cell of state.root.querySelectorAll(".c")) cell.classList.toggle("is-lit", lit.has(cell));
}

/** @param {State} state */
function show(state) {
  const { r, s } = state.chosen;
  light(state, r, s);
  for (const cell of state.root.querySelectorAll('[role="gridcell"]')) {
    const now = s ? cell.dataset.s === s && !cell.dataset.r : cell.dataset.r === r;
    cell.classList.toggle("is-selected", now);
    cell.setAttribute("aria-selected", String(now));
  }
  for (const grid of state.root.querySelectorAll('[role="grid"]')) {
    const cells = [...grid.querySelectorAll('[role="gridcell"]')];
    const entered = cells.find((cell) => cell.classList.contains("is-lit")) ?? cells[0];
    for (const cell of cells) cell.tabIndex = cell === entered ? 0 : -1;
  }
  state.told.innerHTML = state.data.words[s ?? r] ?? ""; // escaped by the server
}

// The place that a cell names, none of a scalar.
/** @param {string} [r] */
const numbersOf = (r) => (!r || r === "·" ? [] : r.split(",").map(Number));

/** @param {State} state @param {string} r @param {string | null | undefined} [s] */
function choose(state, r, s = null) {
  state.chosen = { r, s };
  show(state);
  tell(state, numbersOf(r), s);
}

/** @param {State} state @param {number[]} at @param {string | null | undefined} [s] */
function tell(state, at, s = null) {
  state.mine = state.count += 1;
  const asked = { count: state.count, about: state.data.about, at, s };
  clearTimeout(state.timer);
  state.timer = setTimeout(() => state.set("asked", asked), 150); // of a held arrow key the server hears the last entry only
}

/** @param {State} state @param {HTMLElement} cell */
function picked(state, cell) {
  const { r, s } = cell.dataset;
  if (!s) return choose(state, r ?? "");
  if (r && !cell.closest(".given")) return choose(state, r);
  choose(state, r ?? readingsOf(state, s).find((reading) => reading.dataset.r)?.dataset.r ?? state.chosen.r, s);
}

/** @param {State} state @param {KeyboardEvent} event */
function pressed(state, event) {
  const cell = targetOf(event).closest('[role="gridcell"]');
  const move = MOVES[event.key];
  if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    return picked(state, cell);
  }
  if (!move) return;
  event.preventDefault();
  const rows = [...(cell.closest('[role="grid"]')?.children ?? [])].map((row) => [...row.children]);
  const row = rows.findIndex((cells) => cells.includes(cell));
  const next = rows[row + move[0]]?.[rows[row].indexOf(cell) + move[1]];
  if (next instanceof HTMLElement) {
    picked(state, next);
    next.focus();
  } else if (!cell.dataset.s) beyond(state, cell, move);
}

// Past the edge of the part that is shown: the server draws the next one.
/** @param {State} state @param {HTMLElement} cell @param {[number, number]} move */
function beyond(state, cell, move) {
  const shape = state.data.shape;
  const at = numbersOf(cell.dataset.r);
  const axis = shape.length - (move[0] ? 2 : 1);
  const to = at[axis] + (move[0] || move[1]);
  if (!(to >= 0 && to < shape[axis])) return;
  at[axis] = to;
  state.follow = true;
  tell(state, at);
}

/** @param {State} state @param {HTMLInputElement} slider */
function slid(state, slider) {
  const at = [...state.data.at];
  at[Number(slider.dataset.axis)] = Number(slider.value);
  tell(state, at);
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement, setStateValue }) {
  const root = /** @type {HTMLElement & { explorer?: State }} */ (part(parentElement, ".bc-picture"));
  const state = (root.explorer ??= /** @type {State} */ ({
    root: part(root, ".bc-stage"), told: part(root, ".bc-told"), count: Date.now(), mine: 0,
  }));
  state.set = setStateValue;
  state.data = data;
  if (state.html !== data.html || state.about !== data.about) {
    state.html = data.html;
    state.about = data.about;
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    const held = active && state.root.contains(active) && active.dataset.axis;
    state.root.innerHTML = data.html; // escaped by the server
    if (held) state.root.querySelector(`[data-axis="${held}"]`)?.focus();
    state.mine = 0;
  }
  root.classList.toggle("is-stale", data.stale);
  state.told.hidden = data.stale;
  // What the server says holds, unless it has not yet heard of the reader's last choice.
  if (!state.mine || data.handled === state.mine) state.chosen = { r: data.r, s: data.s };
  show(state);
  if (state.follow) {
    state.follow = false;
    state.root.querySelector(".result .is-selected")?.focus();
  }
  const clicked = (/** @type {MouseEvent} */ event) => {
    const cell = targetOf(event).closest(".c");
    if (!cell || data.stale || !(cell.dataset.r || cell.dataset.s)) return;
    picked(state, cell);
    state.root.querySelector(".is-selected")?.focus({ preventScroll: true });
  };
  const key = (/** @type {KeyboardEvent} */ event) => pressed(state, event);
  const moved = (/** @type {Event} */ event) => {
    const slider = /** @type {HTMLInputElement} */ (event.target);
    if (slider.dataset.axis) slid(state, slider);
  };
  root.addEventListener("click", clicked);
  root.addEventListener("keydown", key);
  root.addEventListener("change", moved);
  return () => {
    root.removeEventListener("click", clicked);
    root.removeEventListener("keydown", key);
    root.removeEventListener("change", moved);
  };
}
