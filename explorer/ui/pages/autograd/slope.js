// The slope beside the graph: draws point and tangent into the server's plot, and turns the number in the code when the
// point is dragged, or by arrow keys. While the hand is down both follow it at once, read off the curve between its known
// points; the run that follows puts the program's own numbers there.

import { number } from "../../../drawing/plots/numbers.js";
import { across, between, element, plane, real } from "../../../drawing/plots/plane.js";

/** @typedef {import("../../../drawing/plots/plane.js").Sent} Sent */
/**
 * What the server sends (leaf_plot.py): the plot, the point with its gradient, the curve, and where its number stands.
 * @typedef {{ html: string, stale: boolean, at: number, value: number, slope: Sent, entry: number, x: number[],
 *   y: Sent[], slopes: Sent[], span: CellSpan | null, words: { slope: string, point: string } }} Data
 */
/** @typedef {HTMLElement & { drawn?: string, held?: boolean, hand?: number | null, was?: number, wait?: number, late?: number }} Place */

const RESTED = 1500; // ms after which the run's own number is shown
const REST = 700; // ms after the last key until the number is written
const COARSE = 10; // steps at once with Shift
const HEAD = 56, TALL = 262; // px of the bar above the program, and of the plot

/** @param {Turning} detail */
const turn = (detail) => document.dispatchEvent(new CustomEvent("explorer:turn", { detail }));

// Where it stands: below a short program, otherwise above the numbers of the card.
/** @returns {Place | undefined} */
function placeOf() {
  const column = document.querySelector(".st-key-editor"), parts = [...(column?.querySelectorAll(".code-editor .paint > *, .code-editor .outs > *") ?? [])];
  const [below, beside] = [".st-key-slope .slope-place", ".st-key-inspector .slope-place"].map((one) => document.querySelector(one));
  const top = parts[0]?.getBoundingClientRect().top, ends = Math.max(...parts.map((one) => one.getBoundingClientRect().bottom));
  const room = column && top !== undefined ? column.clientHeight - (ends - top) - HEAD - (column.querySelector(".st-key-hint")?.clientHeight ?? 0) : 0;
  const chosen = matchMedia("(min-width: 761px)").matches && room > TALL ? below : beside;
  for (const one of [below, beside]) if (one && one !== chosen) one.replaceChildren(), delete /** @type {Place} */ (one).drawn;
  return /** @type {Place | null} */ (chosen) ?? undefined;
}

// Point, tangent and the words beside them, at a value that the hand chose, or that of the run.
/** @param {Place} place @param {Data} data */
function draw(place, data) {
  const moved = place.hand !== null && place.hand !== undefined && place.hand !== data.at;
  const curve = { x: data.x, y: data.y, slope: data.slopes, breaks: [] };
  const at = moved ? Number(place.hand) : data.at;
  const [value, slope] = moved ? (data.slopes.length ? between(curve, at) : [straight(curve, at), NaN]) : [data.value, real(data.slope)];
  for (const svg of /** @type {NodeListOf<SVGSVGElement>} */ (place.querySelectorAll("svg.leafplot"))) {
    const p = plane(svg), moving = /** @type {SVGGElement} */ (svg.querySelector(".moving"));
    const group = moving.querySelector("g") ?? element("g", {}, moving), point = moving.querySelector(".first") ?? element("circle", { class: "first", r: 7 }, moving);
    group.replaceChildren();
    const seen = Number.isFinite(value) && at >= p.low && at <= p.high;
    point.toggleAttribute("hidden", !seen);
    if (!seen) continue;
    const [x, y] = [p.x(at), Math.min(p.foot, Math.max(p.top, p.y(value)))];
    element("path", { class: "here", d: `M${x.toFixed(1)} ${p.foot}V${y.toFixed(1)}H${p.left}` }, group);
    const ends = across(p, at, value, slope), way = slope > 0 ? "pos" : slope < 0 ? "neg" : "zero";
    if (ends) {
      const [x0, y0, x1, y1] = [p.x(ends[0]), p.y(ends[1]), p.x(ends[2]), p.y(ends[3])].map((px) => px.toFixed(1));
      element("path", { class: `tangent ${way}`, d: `M${x0} ${y0}L${x1} ${y1}` }, group);
    }
    if (Number.isFinite(slope)) {
      const words = element("text", { class: `said ${way}` }, group);
      words.textContent = `${data.words.slope} ${number(slope, true)}`;
      const wide = words.getComputedTextLength();
      const below = slope >= 0 && y + 24 < p.foot, left = x + 12 + wide > p.edge || (slope >= 0 && !below); // where the line is not
      const lower = left ? slope < 0 && y + 24 < p.foot : below;
      words.setAttribute("x", String(left ? Math.max(p.left, x - 12 - wide) : x + 12));
      words.setAttribute("y", String(lower ? y + 22 : Math.max(p.top + 10, y - 11)));
    }
    point.setAttribute("cx", x.toFixed(1));
    point.setAttribute("cy", y.toFixed(1));
    if (!data.span) continue;
    const said = { role: "slider", tabindex: 0, "aria-label": data.words.point, "aria-valuenow": at, "aria-valuemin": p.low, "aria-valuemax": p.high,
      "aria-valuetext": `${number(at)}, ${data.words.slope} ${number(slope, true)}` };
    for (const [name, told] of Object.entries(said)) point.setAttribute(name, String(told));
  }
}

// Between two runs of the program: nothing is known of the slope there.
/** @param {{ x: number[], y: Sent[] }} curve @param {number} at */
function straight({ x, y }, at) {
  const i = x.findIndex((one) => one >= at);
  if (i < 1) return NaN;
  const share = (at - x[i - 1]) / (x[i] - x[i - 1]);
  return real(y[i - 1]) + share * (real(y[i]) - real(y[i - 1]));
}

/** @param {Place} place @param {Data} data @param {AbortSignal} signal */
function listen(place, data, signal) {
  const span = data.span;
  if (!span) return;
  const asked = () => ({ span, was: place.hand ?? data.at, entry: data.entry }); // the answer to the last turn may be on its way
  place.addEventListener("pointerdown", (event) => {
    const svg = /** @type {SVGSVGElement | null} */ (/** @type {Element} */ (event.target).closest("svg.leafplot"));
    if (!svg || event.button || !event.isPrimary) return;
    const p = plane(svg), box = svg.getBoundingClientRect();
    const px = ((event.clientX - box.left) / box.width) * p.width;
    if (Math.abs(px - p.x(data.at)) > 28) return;
    event.preventDefault();
    place.held = true;
    /** @type {HTMLElement | null} */ (svg.querySelector(".first"))?.focus({ preventScroll: true });
    const drag = new AbortController();
    addEventListener("pointermove", (moved) => { // the drawing itself is replaced by that of the next run
      const to = p.at(((moved.clientX - box.left) / box.width) * p.width);
      turn({ ...asked(), to: Math.min(p.high, Math.max(p.low, to)) });
    }, { signal: drag.signal });
    const over = (/** @type {Event} */ ended) => {
      drag.abort();
      place.held = false;
      turn({ ...asked(), over: ended.type === "pointerup" });
    };
    for (const end of ["pointerup", "pointercancel"]) addEventListener(end, over, { signal: drag.signal });
  }, { signal });
  place.addEventListener("keydown", (event) => {
    const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: COARSE, PageDown: -COARSE }[event.key];
    if (!step || !/** @type {Element} */ (event.target).matches(".first")) return;
    event.preventDefault();
    event.stopPropagation();
    turn({ ...asked(), steps: event.shiftKey ? step * COARSE : step });
    clearTimeout(place.wait);
    place.wait = setTimeout(() => turn({ ...asked(), over: true }), REST);
  }, { signal });
  place.addEventListener("focusout", () => place.wait && !place.held && turn({ ...asked(), over: true }), { signal });
}

// Tells the editor which number of the code the point turns: before the first turn its handle is shown.
/** @param {Place} place @param {string} turns */
function tell(place, turns) {
  if ((place.dataset.turns ?? "") === turns) return;
  if (turns) place.dataset.turns = turns;
  else delete place.dataset.turns;
  document.dispatchEvent(new Event("explorer:plotted"));
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data }) {
  const over = new AbortController(), { signal } = over;
  /** @type {Place | undefined} */
  let place;
  let active = new AbortController();
  const stand = () => {
    const before = place;
    place = placeOf();
    if (!place) return;
    if (place.drawn !== data.html) {
      const had = place.contains(document.activeElement);
      place.innerHTML = data.html; // made by the server, every text of the program escaped
      place.drawn = data.html;
      draw(place, data);
      if (had) [...place.querySelectorAll(".first")].find((one) => one.getClientRects().length)?.focus({ preventScroll: true });
    }
    place.classList.toggle("is-behind", data.stale);
    if (before && before !== place) tell(before, "");
    tell(place, data.html && data.span ? JSON.stringify({ span: data.span, at: data.at, entry: data.entry }) : "");
    if (!data.html) return;
    draw(place, data);
    if (place === before) return;
    active.abort();
    active = new AbortController();
    place.addEventListener("explorer:rested", () => place && draw(place, data), { signal: active.signal });
    listen(place, data, active.signal);
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
    const span = data.span, [cell, line, column] = detail.place;
    if (!place || !span || cell !== span[0] || line < span[1] || line > span[3] || (line === span[1] && column < span[2])) return;
    if (Math.abs(detail.was - data.at) > 1e-5 * (1 + Math.abs(data.at)) && place.was !== detail.was) return;
    place.was = detail.was; // an answer on the way has another value by now
    place.hand = detail.value;
    draw(place, data);
    clearTimeout(place.late);
    const here = place;
    place.late = setTimeout(() => ((here.hand = null), (here.was = undefined), here.dispatchEvent(new Event("explorer:rested"))), RESTED);
  };
  const stepped = (/** @type {DocumentEventMap["explorer:step"]} */ { detail }) =>
    document.documentElement.toggleAttribute("data-midway", Boolean(detail));
  document.addEventListener("explorer:turned", turned, { signal });
  document.addEventListener("explorer:step", stepped, { signal });
  return (ended) => {
    if (ended && place) place.replaceChildren(), delete place.drawn, tell(place, ""); // as while gradients are predicted
    if (ended) document.documentElement.removeAttribute("data-midway");
    over.abort();
    active.abort();
    sizes.disconnect();
  };
}
