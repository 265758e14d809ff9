// The slope plot: plotly's figure below a short one-cell program, otherwise above the card's numbers. Its slider and its
// point turn the number in the code, and follow it.

import { draw, show } from "../../../drawing/plots/plot.js";

/**
 * What the server sends (leaf_plot.py): the figure as JSON, its words, the value, and where its number stands.
 * @typedef {{ figure: string, config: object, alt: string, words: string, stale: boolean, at: number, entry: number,
 *   span: CellSpan | null }} Data
 */

const RESTED = 1500; // ms after which the run's own number counts
const HEAD = 56, TALL = 300; // px of the bar above the program, and of the plot

// One for the page, from run to run.
const figure = Object.assign(document.createElement("figure"), { className: "leafplot" });
const plot = /** @type {import("../../../drawing/plots/plot.js").Plot} */ (/** @type {HTMLElement} */ (document.createElement("div")));
const words = document.createElement("figcaption");
plot.className = "plot";
figure.append(plot, words);
plot.setAttribute("role", "figure");
/** @type {number | undefined} */
let hand; // the turned value, until its run arrives
let late = 0;

/** @param {Turning} detail */
const turn = (detail) => document.dispatchEvent(new CustomEvent("explorer:turn", { detail }));

function placeOf() {
  const column = document.querySelector(".st-key-editor"), parts = [...(column?.querySelectorAll(".code-editor .paint > *, .code-editor .outs > *") ?? [])];
  const [below, beside] = [".st-key-slope .slope-place", ".st-key-inspector .slope-place"].map((one) => document.querySelector(one));
  const top = parts[0]?.getBoundingClientRect().top, ends = Math.max(...parts.map((one) => one.getBoundingClientRect().bottom));
  const room = column && top !== undefined ? column.clientHeight - (ends - top) - HEAD - (column.querySelector(".st-key-hint")?.clientHeight ?? 0) : 0;
  if (column && top === undefined) return undefined; // the program's lines, and so its room, are not known yet
  const single = column?.querySelector(".code-editor.is-single"); // the cells of a notebook keep their pane
  return matchMedia("(min-width: 761px)").matches && single && room > TALL ? below : beside;
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data }) {
  const over = new AbortController(), { signal } = over, { span, entry } = data;
  const slid = (/** @type {number} */ _, /** @type {number} */ to, /** @type {boolean} */ ended) => {
    const asked = span && { span, was: hand ?? data.at, entry };
    if (asked) turn(ended ? { ...asked, over: true } : { ...asked, to });
  };
  const stand = () => {
    const place = data.figure ? placeOf() : null;
    if (place === undefined && !signal.aborted) return void setTimeout(stand, 100);
    if (!place) return figure.remove();
    if (figure.parentElement !== place) place.replaceChildren(figure);
    figure.classList.toggle("is-behind", data.stale);
    plot.setAttribute("aria-label", data.alt);
    words.innerHTML = data.words; // made by the server, every text of the program escaped
    draw(plot, data.figure, data.config, slid);
  };
  stand();
  const sizes = new ResizeObserver(() => stand());
  const watch = () => {
    const seen = document.querySelectorAll(".st-key-editor, .st-key-editor .code-editor .paint");
    for (const one of seen) sizes.observe(one);
    if (seen.length < 2 && !signal.aborted) setTimeout(watch, 200); // the program is drawn a moment later
  };
  watch();
  const turned = (/** @type {DocumentEventMap["explorer:turned"]} */ { detail }) => {
    const [cell, line, column] = detail.place;
    if (!span || cell !== span[0] || line < span[1] || line > span[3] || (line === span[1] && column < span[2])) return;
    if (Math.abs(detail.was - (hand ?? data.at)) > 1e-5 * (1 + Math.abs(data.at)) && hand === undefined) return;
    hand = detail.value;
    show(plot, 0, detail.value);
    clearTimeout(late);
    late = setTimeout(() => (hand = undefined), RESTED);
  };
  const stepped = (/** @type {DocumentEventMap["explorer:step"]} */ { detail }) =>
    document.documentElement.toggleAttribute("data-midway", Boolean(detail));
  document.addEventListener("explorer:turned", turned, { signal });
  document.addEventListener("explorer:step", stepped, { signal });
  return (ended) => {
    if (ended) figure.remove(), document.documentElement.removeAttribute("data-midway"); // as while gradients are predicted
    over.abort();
    sizes.disconnect();
  };
}
