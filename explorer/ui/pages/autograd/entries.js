// Entries of a gradient in the inspector: a click, Enter or Space follows one through its sum, the arrow keys walk.

import { targetOf } from "../../../drawing/dom.js";

/** @param {HTMLElement} square */
const gridOf = (square) => /** @type {HTMLElement} */ (square.parentElement);

let count = Date.now(); // of choices: the next may be made before the last is drawn

/** @param {Page<{ session: string, card: string }>} page @returns {Stop | void} */
export function mount({ data, parentElement, setStateValue }) {
  const inspector = parentElement.closest(".st-key-inspector");
  if (!inspector) return;
  const choose = (/** @type {HTMLElement} */ square) => {
    const entry = square.getAttribute("aria-pressed") === "true" ? -1 : Number(square.dataset.entry);
    setStateValue("entry", { card: data.card, entry, session: data.session, count: (count += 1) });
  };
  const walk = (/** @type {HTMLElement} */ square, /** @type {number} */ step) => {
    const all = [...gridOf(square).querySelectorAll("[data-entry]")];
    const next = all[all.indexOf(square) + step];
    if (!next) return;
    square.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  };
  const click = (/** @type {MouseEvent} */ event) => {
    const square = targetOf(event).closest("[data-entry]");
    if (square) choose(square);
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    const square = targetOf(event).closest("[data-entry]");
    if (!square) return;
    const columns = Number(getComputedStyle(gridOf(square)).getPropertyValue("--columns")) || 1;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (step === undefined && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    if (step === undefined) choose(square);
    else walk(square, step);
  };
  inspector.addEventListener("click", click);
  inspector.addEventListener("keydown", key);
  return () => {
    inspector.removeEventListener("click", click);
    inspector.removeEventListener("keydown", key);
  };
}
