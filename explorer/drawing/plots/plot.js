// Figures of plotly's, drawn into one place: zoom, focus and the page stay as they are when the next figure comes. Its
// sliders get names and keys, and the marked point can be taken.

import { nearest, take } from "./take.js";

/** @typedef {{ label: string, value: string, args: [string[], object] }} Place */
/** @typedef {{ name: string, active: number, steps: Place[], currentvalue: { prefix: string } }} Slider */
/** @typedef {{ xaxis: Axis, yaxis: Axis }} Full */
/** @typedef {{ _offset: number, d2p(value: number): number, p2d(px: number): number }} Axis */
/** @typedef {{ layout: { height: number, width?: number, dragmode?: string | false, sliders?: Slider[] }, data: { name?: string, x: number[], y: number[] }[], frames?: object[], moves?: Partial<Moves> }} Figure */
/**
 * A point that moves along a curve (leaf_plot.py), by place: value, height, slope, and the words and colour of the slope.
 * `first`: the first of the moving traces; `own`: the place that they show, or -1; `ends`, `low`: of the axes.
 * @typedef {{ first: number, own: number, ends: number[], low: number, labels: string[], at: number[], root: number[], slope: (number | null)[],
 *   words: string[], paints: string[] }} Moves
 */
/**
 * What a reader did: `which` slider, its value, whether the hand has let go.
 * @typedef {(which: number, value: number, over: boolean) => void} Slid
 */
/**
 * `drawing`: until when plotly draws; `hand`: a slider is held; `quiet`: it is moved without a hand; `until`: until when a figure that has it elsewhere waits.
 * @typedef {HTMLElement & Figure & { drawn?: string, drawing?: Promise<unknown>, hand?: boolean, until?: number, later?: number, rest?: number, quiet?: boolean, slid?: Slid,
 *   _fullLayout: Full, on(name: string, does: (event: { slider: { _index: number }, interaction?: boolean }) => void): void }} Plot
 */

const RESTED = 1500; // ms after which a figure is shown that has the point elsewhere than the hand left it
const INSET = 10; // px that plotly keeps free at each end of a slider
const REST = 500; // ms after the last key until it counts as let go
/** @type {Record<string, number>} */
const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -1e6, End: 1e6 };

// plotly is large: the first figure of a page loads it, once the browser has nothing else to do.
const IDLE = 1000; // ms until it is loaded all the same
const SCRIPT = "plotly.min.js"; // served by ui/frame/plotly.py

const idle = () => /** @type {Promise<void>} */ (new Promise((done) => {
  if (!globalThis.requestIdleCallback) setTimeout(done, IDLE / 2); // a browser that does not know
  else requestIdleCallback(() => done(), { timeout: IDLE });
}));

async function load() {
  await idle();
  if (globalThis.Plotly) return;
  const script = Object.assign(document.createElement("script"), { src: new URL(SCRIPT, globalThis.__streamlit?.BACKEND_BASE_URL ?? document.baseURI).href });
  const loaded = new Promise((done, failed) => Object.assign(script, { onload: done, onerror: failed }));
  document.head.append(script);
  await loaded;
}

export const arrived = () => (globalThis.explorerPlotly ??= load().catch((problem) => {
  delete globalThis.explorerPlotly; // the next figure tries again
  throw problem;
}));

// Adds a slider's places and their frames, which the server leaves out: they are most of such a figure.
/** @param {Figure} figure @returns {Figure} */
function withPlaces(figure) {
  const { moves, ...rest } = figure;
  if (!moves?.at) return figure;
  const { first, own, ends, low, labels, at, root, slope, words, paints } = /** @type {Moves} */ (moves), shown = figure.data.slice(first);
  const frames = at.map((x, i) => {
    const y = root[i], k = slope[i], tangent = k === null ? { x: [], y: [] } : { x: ends, y: ends.map((end) => y + k * (end - x)) };
    const data = i === own ? shown : [{ x: [x, x, ends[0]], y: [low, y, y] }, { ...tangent, line: { color: paints[i], width: 3, dash: "solid" } },
      { x: [x], y: [y] }, { text: [k === null ? "" : words[i]], textfont: { color: paints[i] } }];
    return { name: `0.${i}`, traces: shown.map((_, trace) => first + trace), data };
  });
  const how = { mode: "immediate", frame: { duration: 0, redraw: false }, transition: { duration: 0 } };
  const steps = at.map((x, i) => ({ label: labels[i], value: String(x), method: "animate", args: /** @type {[string[], object]} */ ([[`0.${i}`], how]) }));
  return { ...rest, frames, layout: { ...figure.layout, sliders: figure.layout.sliders?.map((slider) => ({ ...slider, steps })) } };
}

/** @param {Figure} figure @param {number} which */
export const valueOf = ({ layout: { sliders } }, which) => Number(sliders?.[which]?.steps[sliders[which].active].value);

// Whether the figure has the point where the hand has it not: by more than one place of the slider.
/** @param {Plot} plot @param {Figure} figure */
function elsewhere(plot, figure) {
  const slider = plot.layout?.sliders?.[0];
  if (!slider || plot.hand || performance.now() > (plot.until ?? 0)) return Boolean(plot.hand);
  const gap = Number(slider.steps[1].value) - Number(slider.steps[0].value);
  return Math.abs(valueOf(figure, 0) - valueOf(plot, 0)) > 1.5 * Math.abs(gap);
}

/** @param {Plot} plot @param {string} text The figure as JSON. @param {object} config @param {Slid} [slid] */
export async function draw(plot, text, config, slid) {
  plot.slid = slid;
  if (plot.drawn === text && !plot.until) return;
  const figure = withPlaces(JSON.parse(text));
  if (matchMedia("(pointer: coarse)").matches && figure.layout.dragmode === "zoom") figure.layout.dragmode = false; // a finger scrolls the page
  plot.style.minHeight = `${figure.layout.height}px`; // the page knows its size before plotly is there
  plot.style.width = figure.layout.width ? `${figure.layout.width}px` : "";
  clearTimeout(plot.later);
  if (elsewhere(plot, figure)) return void (plot.later = setTimeout(() => draw(plot, text, config, slid), RESTED));
  Object.assign(plot, { drawn: text, until: 0 });
  await arrived();
  await plot.drawing; // plotly fails if a figure comes while it draws another one
  if (plot.drawn !== text) return;
  if (!plot.isConnected) return void (plot.drawn = ""); // drawn when it is back
  const first = !plot.on; // plotly's own
  const drawing = Plotly.react(plot, { ...figure, config });
  plot.drawing = Promise.resolve(drawing).catch(() => undefined);
  await drawing;
  named(plot);
  if (first) listen(plot);
}

/** @param {Plot} plot */
function named(plot) {
  plot.querySelectorAll(".slider-group").forEach((group, which) => {
    const slider = plot.layout.sliders?.[which];
    if (!slider) return;
    const attributes = { role: "slider", tabindex: 0, "aria-label": slider.name, "aria-valuemin": 0, "aria-valuemax": slider.steps.length - 1,
      "aria-valuenow": slider.active, "aria-valuetext": slider.currentvalue.prefix + slider.steps[slider.active].label };
    for (const [name, value] of Object.entries(attributes)) group.setAttribute(name, String(value));
  });
}

/**
 * What the hand does to a slider, as plotly hears it.
 * @typedef {"mousedown" | "mousemove" | "mouseup"} Touch
 */
/** @param {Plot} plot @param {number} which @param {number} place @param {Touch[]} touches */
function touch(plot, which, place, touches) {
  const rail = plot.querySelectorAll(".slider-rail-touch-rect")[which], last = (plot.layout.sliders?.[which].steps.length ?? 0) - 1;
  if (!rail || last < 1) return;
  const box = rail.getBoundingClientRect(), share = Math.max(0, Math.min(last, place)) / last;
  const at = { bubbles: true, clientX: box.left + INSET + share * (box.width - 2 * INSET), clientY: box.top + 5 };
  for (const name of touches) (name === "mousedown" ? rail : plot).dispatchEvent(new MouseEvent(name, at));
}

// Moves a slider without a hand: as the number in the code does.
/** @param {Plot} plot @param {number} which @param {number} value */
export function show(plot, which, value) {
  const slider = plot.layout?.sliders?.[which];
  if (!slider || plot.hand) return;
  plot.quiet = true;
  touch(plot, which, nearest(slider, value), ["mousedown", "mouseup"]);
  plot.quiet = false;
}

/** @param {Plot} plot @param {number} which @param {boolean} over */
function report(plot, which, over) {
  plot.hand = !over && !plot.quiet;
  plot.until = performance.now() + RESTED;
  named(plot);
  if (!plot.quiet) plot.slid?.(which, valueOf(plot, which), over);
}

/** @param {Plot} plot */
function listen(plot) {
  plot.on("plotly_sliderchange", ({ slider, interaction }) => interaction && report(plot, slider._index, false));
  plot.on("plotly_sliderend", ({ slider }) => report(plot, slider._index, true));
  plot.addEventListener("keydown", (event) => {
    const group = /** @type {Element} */ (event.target).closest(".slider-group"), step = KEYS[event.key];
    if (!group || !step) return;
    event.preventDefault();
    event.stopPropagation();
    const which = [...plot.querySelectorAll(".slider-group")].indexOf(group), at = plot.layout.sliders?.[which].active ?? 0;
    touch(plot, which, at + (event.shiftKey ? 10 * step : step), plot.rest ? ["mousemove"] : ["mousedown"]);
    clearTimeout(plot.rest);
    plot.rest = setTimeout(() => ((plot.rest = 0), touch(plot, which, 0, ["mouseup"])), REST);
  });
  new ResizeObserver(() => plot.offsetParent && Plotly.Plots.resize(plot)).observe(plot);
  take(plot, touch);
}
