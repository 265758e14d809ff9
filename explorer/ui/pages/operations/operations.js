// The picture of one operation: an entry that is pointed at lights those it was made from, and those made from it.
// Squares are the server's (data-at, data-from); only classes and the line below change here.

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

const cells = (root) => [...root.querySelectorAll(".op-row .op-cell")];

// Who reads a square, and which squares it reads: both ways of data-from.
function links(root) {
  const found = new Map(cells(root).map((cell) => [cell.dataset.at, new Set()]));
  for (const cell of cells(root)) {
    for (const at of cell.dataset.from?.split(" ") ?? []) {
      found.get(cell.dataset.at).add(at);
      found.get(at)?.add(cell.dataset.at);
    }
  }
  return found;
}

function say(state, cell) {
  const line = state.figure.querySelector(".op-entry");
  const back = state.figure.classList.contains("is-back");
  const rest = back ? line.dataset.restBack : line.dataset.rest;
  const words = cell ? (back && cell.dataset.back) || cell.getAttribute("aria-label") : rest;
  if (line.textContent !== words) line.textContent = words;
}

function point(state, cell) {
  const read = cell ? state.links.get(cell.dataset.at) : new Set();
  state.figure.classList.toggle("is-pointing", Boolean(cell) && read.size > 0);
  for (const one of state.cells) {
    one.classList.toggle("is-chosen", one === cell);
    one.classList.toggle("is-read", Boolean(read?.has(one.dataset.at)));
  }
  say(state, cell);
}

function walk(cell, key) {
  const rows = [...cell.closest(".op-grid").children];
  const row = rows.indexOf(cell.parentElement), column = [...cell.parentElement.children].indexOf(cell);
  if (key === "Home" || key === "End") return cell.parentElement[key === "Home" ? "firstElementChild" : "lastElementChild"];
  const [down, right] = STEPS[key];
  return rows[row + down]?.children[column + right];
}

function focus(cell) {
  for (const one of cell.closest(".op-grid").querySelectorAll(".op-cell")) one.tabIndex = -1;
  cell.tabIndex = 0;
  cell.focus();
}

function ways(state) {
  for (const button of state.figure.querySelectorAll(".op-ways button")) {
    button.addEventListener("click", () => {
      state.figure.classList.toggle("is-back", button.dataset.way === "back");
      for (const one of state.figure.querySelectorAll(".op-ways button"))
        one.setAttribute("aria-pressed", String(one === button));
      say(state, null);
    });
  }
}

// Whether the result has no room beside the operands and went below them.
function wrapped(root) {
  for (const row of root.querySelectorAll(".op-row")) {
    row.classList.remove("is-wrapped");
    const [operands, result] = row.children;
    if (result) row.classList.toggle("is-wrapped", result.offsetTop >= operands.offsetTop + operands.offsetHeight);
  }
}

export function mount({ data, parentElement }) {
  const root = parentElement.querySelector(".operations");
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
    const cell = event.target.closest(".op-row .op-cell");
    if (cell) point(state, cell);
  });
  figure.querySelector(".op-row").addEventListener("pointerleave", () => {
    const held = figure.querySelector(".op-cell:focus");
    point(state, held);
  });
  figure.addEventListener("click", (event) => {
    const cell = event.target.closest(".op-row .op-cell");
    if (cell) focus(cell);
  });
  figure.addEventListener("focusin", (event) => point(state, event.target.closest(".op-row .op-cell")));
  figure.addEventListener("focusout", () => point(state, null));
  figure.addEventListener("keydown", (event) => {
    const cell = event.target.closest(".op-row .op-cell");
    if (event.key === "Escape" && cell) return cell.blur();
    if (!cell || !(event.key in STEPS || event.key === "Home" || event.key === "End")) return;
    event.preventDefault();
    const next = walk(cell, event.key);
    if (next) focus(next);
  });
  ways(state);
  if (back) figure.querySelector('[data-way="back"]')?.click();
  root.explorerWatch ??= new ResizeObserver(() => wrapped(root)); // it also tells of the first size
  root.explorerWatch.disconnect();
  root.explorerWatch.observe(root);
  wrapped(root);
}
