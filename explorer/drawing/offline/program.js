// The program in a standalone page: its text in Python's colours, and at a moment of the player the running line, line
// ends and output.

import { part } from "../dom.js";
import { besides, make, paint } from "../notebook/paint.js";

/** @typedef {import("../notebook/types").CellText} CellText */
/** @typedef {import("../notebook/types").Ghost} Ghost */
/** @typedef {import("../notebook/types").Fault} Fault */
/** @typedef {{ cell: number, ghosts: Ghost[], faults: Fault[] }} CellData at the end of the run */
/** @typedef {CellText & { cellData: CellData, outs: HTMLElement }} Cell */

const CLEAR = 48; // px above and below the line that runs

/** @param {HTMLElement | null} root @param {CellData[]} all @param {number[] | null} begins cell and line of the run's begin */
export function showProgram(root, all, begins) {
  if (!root) return;
  const cells = all.map((cellData) => drawn(root, cellData));
  const first = root.querySelector(`[data-at="${begins}"]`);
  if (first) root.scrollTop += first.getBoundingClientRect().top - root.getBoundingClientRect().top - CLEAR;
  document.addEventListener("explorer:step", ({ detail }) => cells.forEach((cell) => show(root, cell, detail)));
}

/** @param {HTMLElement} root @param {CellData} cellData @returns {Cell} */
function drawn(root, cellData) {
  const box = part(root, `[data-cell="${cellData.cell}"]`), ground = part(box, ".paint");
  const area = { value: ground.textContent ?? "", rows: 0 };
  ground.textContent = "";
  const cell = { cellData, area, paint: ground, outs: part(box, ".outs"), lines: [], spans: [], idle: [], faults: [] };
  paint(cell);
  [...ground.children].forEach((line, i) => line.setAttribute("data-at", `${cellData.cell},${i + 1}`));
  besides(cell, cellData.ghosts, cellData.faults, []);
  return cell;
}

/** @param {HTMLElement} root @param {Cell} cell @param {Stepped | null} step */
function show(root, cell, step) {
  const { cellData } = cell, waiting = new Set(step?.lines.map(String)), now = String(step?.at ?? "");
  besides(cell, step?.beside ? (step.beside[cellData.cell] ?? []) : cellData.ghosts, step ? [] : cellData.faults, []);
  soFar(cell, step?.out ?? null);
  for (const line of cell.paint.children) {
    const at = line.getAttribute("data-at") ?? "", runs = at === now;
    line.classList.toggle("is-waiting", waiting.has(at));
    if (runs && !line.classList.contains("is-running")) seen(root, line);
    line.classList.toggle("is-running", runs);
  }
}

// Scrolls the program's own pane, never the page, as little as shows a line.
/** @param {HTMLElement} pane @param {Element} line */
function seen(pane, line) {
  const { top, bottom } = line.getBoundingClientRect(), box = pane.getBoundingClientRect();
  if (top < box.top + CLEAR) pane.scrollTop -= box.top + CLEAR - top;
  else if (bottom > box.bottom - CLEAR) pane.scrollTop += bottom - box.bottom + CLEAR;
}

// A cell's output so far; plots appear with the last output.
/** @param {Cell} cell @param {Stepped["out"] | null} out */
function soFar({ cellData, outs }, out) {
  const partly = Boolean(out) && out && (cellData.cell > out[0] || (cellData.cell === out[0] && !out[2]));
  const old = outs.nextElementSibling;
  outs.classList.toggle("is-later", Boolean(partly));
  if (old?.classList.contains("so-far")) old.remove();
  if (!partly || cellData.cell > out[0] || !out[1]) return;
  const made = make("div", "outs so-far");
  made.innerHTML = out[1]; // escaped when it was made
  for (const plot of made.querySelectorAll(".figure"))
    plot.innerHTML = outs.querySelector(`[data-figure="${plot.dataset.figure}"]`)?.innerHTML ?? "";
  outs.after(made);
}
