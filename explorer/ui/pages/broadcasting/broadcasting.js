// The picture of a broadcast under a person's hands: a cell that is chosen lights what belongs to it, and its sentence is
// said; all of that without the server. The server hears of the choice for the address, and draws another part when the
// choice leaves what is shown.

const cellsOf = (state, r) => [...state.root.querySelectorAll(".c[data-r]")].filter((one) => one.dataset.r === r);
const readingsOf = (state, s) => [...state.root.querySelectorAll(".c[data-s]")].filter((one) => one.dataset.s === s);
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// Either an entry of the result (r) with what it read, or an entry of an operand (s) with all its readings.
function light(state, r, s) {
  const lit = new Set(s ? readingsOf(state, s) : cellsOf(state, r));
  for (const cell of [...lit]) {
    if (s && cell.dataset.r) for (const other of cellsOf(state, cell.dataset.r)) if (!other.dataset.s) lit.add(other);
    if (!s && cell.dataset.s)
      for (const other of readingsOf(state, cell.dataset.s)) if (!other.dataset.r || !other.classList.contains("ghost")) lit.add(other);
  }
  for (const cell of state.root.querySelectorAll(".c")) cell.classList.toggle("is-lit", lit.has(cell));
}

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

function choose(state, r, s = null) {
  state.chosen = { r, s };
  show(state);
  tell(state, r === "·" ? [] : r.split(",").map(Number), s);
}

function tell(state, at, s = null) {
  state.mine = state.count += 1;
  const asked = { count: state.count, about: state.data.about, at, s };
  clearTimeout(state.timer);
  state.timer = setTimeout(() => state.set("asked", asked), 150); // of a held arrow key the server hears the last entry only
}

function picked(state, cell) {
  const { r, s } = cell.dataset;
  if (!s) return choose(state, r);
  if (r && !cell.closest(".given")) return choose(state, r);
  choose(state, r ?? readingsOf(state, s).find((one) => one.dataset.r)?.dataset.r ?? state.chosen.r, s);
}

function pressed(state, event) {
  const cell = event.target.closest('[role="gridcell"]');
  const move = MOVES[event.key];
  if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    return picked(state, cell);
  }
  if (!move) return;
  event.preventDefault();
  const rows = [...cell.closest('[role="grid"]').children].map((row) => [...row.children]);
  const row = rows.findIndex((one) => one.includes(cell));
  const next = rows[row + move[0]]?.[rows[row].indexOf(cell) + move[1]];
  if (next) {
    picked(state, next);
    next.focus();
  } else if (!cell.dataset.s) beyond(state, cell, move);
}

// Past the edge of the part that is shown: the server draws the next one.
function beyond(state, cell, move) {
  const shape = state.data.shape;
  const at = cell.dataset.r === "·" ? [] : cell.dataset.r.split(",").map(Number);
  const axis = shape.length - (move[0] ? 2 : 1);
  const to = at[axis] + (move[0] || move[1]);
  if (!(to >= 0 && to < shape[axis])) return;
  at[axis] = to;
  state.follow = true;
  tell(state, at);
}

function slid(state, slider) {
  const at = [...state.data.at];
  at[Number(slider.dataset.axis)] = Number(slider.value);
  tell(state, at);
}

export function mount({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".bc-picture");
  const state = (root.explorer ??= { root: root.querySelector(".bc-stage"), told: root.querySelector(".bc-told"), count: Date.now() });
  state.set = setStateValue;
  state.data = data;
  if (state.html !== data.html || state.about !== data.about) {
    state.html = data.html;
    state.about = data.about;
    const held = state.root.contains(document.activeElement) && document.activeElement.dataset.axis;
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
  const clicked = (event) => {
    const cell = event.target.closest(".c");
    if (!cell || data.stale || !(cell.dataset.r || cell.dataset.s)) return;
    picked(state, cell);
    state.root.querySelector(".is-selected")?.focus({ preventScroll: true });
  };
  const key = (event) => pressed(state, event);
  const moved = (event) => event.target.dataset.axis && slid(state, event.target);
  root.addEventListener("click", clicked);
  root.addEventListener("keydown", key);
  root.addEventListener("change", moved);
  return () => {
    root.removeEventListener("click", clicked);
    root.removeEventListener("keydown", key);
    root.removeEventListener("change", moved);
  };
}
