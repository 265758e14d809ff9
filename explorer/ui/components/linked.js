// HTML of `drawing` with linked parts. Pointing at an element with data-lit lights every element that shares one of its
// words, or one of its container's (data-of); pressing an element with data-choose informs the server. Arrow keys move
// between the buttons. A plotly figure (data-plot) is drawn.

import { part, targetOf } from "../../drawing/dom.js";
import { playReading } from "../../drawing/operations/reading.js";
import { draw } from "../../drawing/plots/plot.js";

// Stored with the box: its HTML and choice.
/** @typedef {import("../../drawing/plots/plot.js").Plot} Plot */
/** @typedef {HTMLElement & { explorerHtml?: string, explorerPressed?: string, explorerListens?: boolean }} Root */

const ROLLS = ".tensor-list"; // scrolls by itself
const WINDOW = ".dt-scroll"; // of a table

/** @param {HTMLElement | null} element */
const words = (element) =>
  `${element?.dataset.lit ?? ""} ${element?.closest("[data-of]")?.dataset.of ?? ""}`.split(" ").filter(Boolean);

/** @param {HTMLElement} root @param {HTMLElement | null} element */
function light(root, element) {
  for (const lit of root.querySelectorAll(".is-lit")) lit.classList.remove("is-lit");
  for (const word of words(element))
    for (const same of root.querySelectorAll(`[data-lit~="${CSS.escape(word)}"]`)) same.classList.add("is-lit");
}

// An entry's place among many cells is a long way from its print: all boxes of a page light together.
/** @param {HTMLElement | null} element */
function everywhere(element) {
  for (const root of document.querySelectorAll(".linked")) light(root, element);
  const lines = words(element).flatMap((word) => /^line(\d+)\.(\d+)$/.exec(word) ?? []).slice(1, 3).map(Number);
  /** @type {CellSpan[]} */
  const spans = lines.length ? [[lines[0], lines[1], 0, lines[1], 10_000]] : [];
  document.dispatchEvent(new CustomEvent("explorer:point", { detail: { spans, source: "lens", kind: "hover" } }));
}

/** @param {FocusEvent} event */
function focused(event) {
  if (targetOf(event).dataset.lit) everywhere(targetOf(event));
  playReading(targetOf(event).closest(".op-card"));
}

/** @param {HTMLElement} root @param {string} key */
function walk(root, key) {
  const active = /** @type {HTMLElement | null} */ (document.activeElement);
  const buttons = [...(active?.closest(ROLLS) ?? root).querySelectorAll("[data-choose][aria-pressed]")];
  const at = active ? buttons.indexOf(active) : -1;
  if (at < 0) return false;
  const to = /** @type {Record<string, number>} */ ({ ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: buttons.length - 1 })[key];
  if (to === undefined || !buttons[to]) return false;
  buttons[to].focus();
  return true;
}

// Scrolls the choice into view without moving the page.
/** @param {HTMLElement} list */
function follow(list) {
  const pressed = list.querySelector('[aria-pressed="true"]');
  if (!pressed || list.scrollHeight <= list.clientHeight) return;
  const [inner, outer] = [pressed, list].map((element) => element.getBoundingClientRect());
  if (inner.top < outer.top || inner.bottom > outer.bottom) list.scrollTop += inner.top - outer.top - list.clientHeight / 3;
}

/** @param {Page<{ html: string, run: string }>} page */
export function mount({ data, parentElement, setStateValue }) {
  const root = /** @type {Root} */ (part(parentElement, ".linked"));
  const rolls = () => [...root.querySelectorAll(ROLLS)];
  if (root.explorerHtml !== data.html) {
    const scrolled = rolls().map((list) => list.scrollTop), aside = root.querySelector(WINDOW)?.scrollLeft ?? 0;
    const focus = /** @type {HTMLElement | null} */ (document.activeElement);
    const active = root.contains(focus) ? focus : null, roll = active?.closest(ROLLS);
    const open = [...root.querySelectorAll("details[data-fold][open]")].map((one) => one.dataset.fold);
    const held = active?.dataset.choose, place = roll ? rolls().indexOf(roll) : -1;
    root.innerHTML = data.html;
    root.explorerHtml = data.html;
    for (const plot of /** @type {NodeListOf<Plot>} */ (root.querySelectorAll("[data-plot]"))) {
      const { figure, config } = JSON.parse(plot.dataset.plot ?? "");
      draw(plot, JSON.stringify(figure), config);
    }
    rolls().forEach((list, k) => (list.scrollTop = scrolled[k] ?? 0));
    for (const fold of root.querySelectorAll("details[data-fold]")) fold.toggleAttribute("open", open.includes(fold.dataset.fold));
    for (const table of root.querySelectorAll(WINDOW)) table.scrollLeft = aside;
    if (held !== undefined)
      (rolls()[place] ?? root).querySelector(`[data-choose="${CSS.escape(held)}"][aria-pressed]`)?.focus();
  }
  const pressed = root.querySelector('[aria-pressed="true"]')?.dataset.choose;
  if (pressed !== undefined && root.explorerPressed !== pressed) rolls().forEach(follow);
  root.explorerPressed = pressed;
  root.onmouseover = (event) => {
    everywhere(targetOf(event).closest("[data-lit], [data-of]"));
    playReading(targetOf(event).closest(".op-card"));
  };
  root.onmouseleave = () => {
    everywhere(null);
    playReading(null);
  };
  if (!root.explorerListens) root.addEventListener("focusin", focused); // there is no property for this event
  root.explorerListens = true;
  root.onclick = (event) => {
    const chosen = targetOf(event).closest("[data-choose]");
    if (chosen) {
      for (const choice of root.querySelectorAll("[aria-pressed]"))
        choice.setAttribute("aria-pressed", String(choice.dataset.choose === chosen.dataset.choose));
      setStateValue("chosen", { key: chosen.dataset.choose, run: data.run, at: Date.now() });
    } else everywhere(targetOf(event).closest("[data-lit]"));
  };
  root.onkeydown = (event) => {
    const presses = targetOf(event).matches('[role="button"]') && (event.key === "Enter" || event.key === " ");
    if (presses) targetOf(event).click();
    if (presses || walk(root, event.key)) event.preventDefault();
  };
}
