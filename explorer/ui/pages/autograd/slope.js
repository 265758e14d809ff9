// The slope plot: plotly's figure above the card's numbers. Its slider and its point turn the number in the code, and
// follow it.

import { arrived, draw, show } from "../../../drawing/plots/plot.js";

/**
 * What the server sends (leaf_plot.py): the figure as JSON, its words, the value, and where its number stands.
 * @typedef {{ figure: string, config: object, alt: string, words: string, stale: boolean, at: number, entry: number,
 *   span: CellSpan | null }} Data
 */

const RESTED = 1500; // ms after which the run's own number counts

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

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data }) {
  const over = new AbortController(), { signal } = over, { span, entry } = data;
  const slid = (/** @type {number} */ _, /** @type {number} */ to, /** @type {boolean} */ ended) => {
    const asked = span && { span, was: hand ?? data.at, entry };
    if (asked) turn(ended ? { ...asked, over: true } : { ...asked, to });
  };
  const stand = () => {
    const place = data.figure && document.querySelector(".st-key-inspector .slope-place");
    if (!place) return figure.remove();
    if (figure.parentElement !== place) place.replaceChildren(figure);
    figure.classList.toggle("is-behind", data.stale);
    plot.setAttribute("aria-label", data.alt);
    words.innerHTML = data.words; // made by the server, every text of the program escaped
    place.clientWidth ? draw(plot, data.figure, data.config, slid) : arrived(); // before the inspector opens, plotly is only loaded
  };
  stand();
  const sizes = new ResizeObserver(stand);
  for (const one of document.querySelectorAll(".st-key-inspector")) sizes.observe(one);
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
