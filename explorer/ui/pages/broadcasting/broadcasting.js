// The interactive picture of a broadcast: pointing at or choosing a cell lights its relatives and shows its sentence,
// without the server. The server gets the choice for the address, and draws another part when the choice leaves the
// visible one.

import { part } from "../../../drawing/dom.js";
import { draw } from "../../../drawing/plots/plot.js";

/**
 * What the server sends (parts.py): the figures for a wide page and for a phone; `r` and `s` are the entry that is
 * chosen, of the result or of an operand; `words` are HTML by entry.
 * @typedef {{ figures: Figure[], config: object, alt: string, sliders: string, words: Record<string, string>, shape: number[],
 *   at: number[], r: string, s: string | null, stale: boolean, about: string, handled: number | null, accent: string }} Data
 * @typedef {{ data: Heat[], layout: { width: number, height: number, shapes: object[] } }} Figure
 * @typedef {{ xaxis: string, yaxis: string, customdata: ([r: string, s: string, kind: string] | null)[][] }} Heat
 * @typedef {{ r: string, s: string, kind: string, x: number, y: number, xref: string, yref: string }} Cell
 * @typedef {Pick<Data, "r" | "s">} Choice
 * @typedef {import("../../../drawing/plots/plot.js").Plot} Plot
 * @typedef {Plot & { explorer?: { count: number, mine: number, chosen: Choice, about?: string, timer?: number, drawn?: () => void },
 *   removeAllListeners(name: string): void }} Place
 */

const FITS = 560; // px from which on the wide figure is shown, even if it must be scrolled
/** @type {Record<string, [down: number, right: number]>} */
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** @param {Figure} figure @returns {Cell[]} */
const cellsOf = ({ data }) => data.flatMap(({ xaxis: xref, yaxis: yref, customdata }) => customdata.flatMap((row, y) =>
  row.flatMap((cell, x) => (cell ? [{ r: cell[0], s: cell[1], kind: cell[2], x, y, xref, yref }] : []))));

// For an entry of the result (r) its inputs, for an entry of an operand (s) all its readers, and their results.
/** @param {Cell[]} cells @param {Choice} choice */
function lit(cells, { r, s }) {
  const begun = cells.filter((cell) => (s ? cell.s === s : cell.r === r));
  const beside = begun.flatMap((one) => cells.filter((cell) =>
    s ? one.r && cell.r === one.r && !cell.s : one.s && cell.s === one.s && cell.kind !== "ghost"));
  return [...new Set([...begun, ...beside])];
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement, setStateValue }) {
  const root = part(parentElement, ".bc-picture"), sliders = part(root, ".bc-axes"), sentence = part(root, ".bc-text");
  const plot = /** @type {Place} */ (part(root, ".bc-stage"));
  const state = (plot.explorer ??= { count: Date.now(), mine: 0, chosen: data });
  const held = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.axis;
  if (state.about !== data.about) Object.assign(state, { about: data.about, mine: 0 });
  // The server's choice is valid, unless it has not processed the reader's last one yet.
  if (!state.mine || data.handled === state.mine) state.chosen = data;
  if (sliders.innerHTML !== data.sliders) sliders.innerHTML = data.sliders; // escaped by the server
  if (held) sliders.querySelector(`[data-axis="${held}"]`)?.focus();
  root.classList.toggle("is-stale", data.stale);
  sentence.hidden = data.stale;
  plot.setAttribute("aria-label", data.alt);
  let figure = data.figures[0], text = "";

  /** @param {Choice} choice */
  function show(choice) {
    sentence.innerHTML = data.words[choice.s ?? choice.r] ?? ""; // escaped by the server
    sentence.style.minHeight = `${sentence.offsetHeight}px`; // a shorter sentence moves nothing
    if (!plot.layout || plot.drawn !== text) return; // plotly is on its way
    const marks = lit(cellsOf(figure), choice).map(({ r, s, x, y, xref, yref }) => {
      const chosen = choice.s ? s === choice.s && !r : r === choice.r && !s;
      const line = { color: data.accent, width: chosen ? 3 : 1.5 };
      return { type: "rect", xref, yref, x0: x - 0.47, x1: x + 0.47, y0: y - 0.47, y1: y + 0.47, line };
    });
    Plotly.relayout(plot, { shapes: data.stale ? figure.layout.shapes : [...figure.layout.shapes, ...marks] });
  }

  /** @param {number[]} at @param {string | null | undefined} [s] */
  function sendChoice(at, s = null) {
    state.mine = state.count += 1;
    const asked = { count: state.count, about: data.about, at, s };
    clearTimeout(state.timer);
    state.timer = window.setTimeout(() => setStateValue("asked", asked), 150); // of a held arrow key the server hears the last entry only
  }

  // The place that a cell names, none of a scalar.
  const numbersOf = (/** @type {string} */ r) => (!r || r === "·" ? [] : r.split(",").map(Number));

  /** @param {Choice} choice */
  function choose(choice) {
    show((state.chosen = choice));
    sendChoice(numbersOf(choice.r), choice.s);
  }

  /** @param {[r: string, s: string, kind: string]} cell @returns {Choice} */
  function choiceOf([r, s, kind]) {
    if (kind !== "given" && kind !== "gradient") return { r, s: null };
    return { r: r || (cellsOf(figure).find((cell) => cell.s === s && cell.r)?.r ?? state.chosen.r), s };
  }

  plot.onkeydown = (event) => {
    const move = MOVES[event.key], at = numbersOf(state.chosen.r), { shape } = data;
    if (!move || data.stale || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const axis = shape.length - (move[0] ? 2 : 1), to = at[axis] + move[0] + move[1];
    if (!(to >= 0 && to < shape[axis])) return;
    at[axis] = to;
    if (data.words[at.join(",")]) choose({ r: at.join(","), s: null });
    else sendChoice(at); // past the edge of the part that is shown: the server draws the next one
  };
  sliders.onchange = (event) => {
    const { dataset, value } = /** @type {HTMLInputElement} */ (event.target), at = [...data.at];
    at[Number(dataset.axis)] = Number(value);
    sendChoice(at);
  };

  // The page may be redrawn before plotly arrives: the last drawing gets the events.
  state.drawn = () => {
    const does = (/** @type {(choice: Choice) => void} */ heard) => (/** @type {any} */ { points: [point] }) =>
      !data.stale && heard(choiceOf(point.customdata));
    const listens = { plotly_click: does(choose), plotly_hover: does(show), plotly_unhover: () => show(state.chosen) };
    for (const [name, heard] of Object.entries(listens)) plot.removeAllListeners(name), plot.on(name, heard);
    show(state.chosen);
  };
  async function stand() {
    figure = data.figures[root.clientWidth >= Math.min(FITS, data.figures[0].layout.width) ? 0 : 1];
    await draw(plot, (text = JSON.stringify(figure)), data.config);
    if (plot.layout) state.drawn?.();
  }
  show(state.chosen);
  const sizes = new ResizeObserver(() => stand());
  sizes.observe(root);
  return () => sizes.disconnect();
}
