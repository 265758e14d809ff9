// The tangent picture: the server draws axes, curve and marks; here move the point, its tangent, the second point and
// the secant. While the point is dragged, f and f' are read off the curve between its known points; the run that follows
// replaces them by the values themselves.

import { number } from "../../../drawing/plots/numbers.js";
import { across, between, element, plane, real } from "../../../drawing/plots/plane.js";
import { part, targetOf } from "../../../drawing/dom.js";

/** @typedef {import("../../../drawing/plots/plane.js").Sent} Sent */
/** @typedef {import("../../../drawing/plots/plane.js").Plane} Plane */
/** @typedef {import("../../../drawing/plots/plane.js").Line} Line */
/**
 * What the server sends (parts.py): drawings and the table as HTML, the point, the curve, and for each h its quotient.
 * @typedef {{ wide: string, narrow: string, table: string, words: Record<string, string>,
 *   point: { at: number, value: Sent, slope: Sent, sides: Sent[] | null }, breaks: number[],
 *   curve: { x: number[], y: Sent[], slope: Sent[] }, h: number[], rise: Sent[], quotient: Sent[], every: number,
 *   i: number, version: number, stale: boolean }} Data
 */
/**
 * `i`: of h; `dragged`: where the point is held, `asked`: where the server was asked to put it.
 * @typedef {{ stage: HTMLElement, built: string, i: number, dragged: number | null, asked: number | null, sent: number,
 *   count: number, known: number | null, data: Data, focus?: boolean, later?: number, frame?: number,
 *   set(name: string, value: unknown): void }} State
 */
/** @typedef {{ text: string, name: string, ends: Line }} Label */
/**
 * @typedef {{ at: number, value: number, slope: number, sides?: number[] | null, h: number, rise: number,
 *   quotient: number }} Now
 */

const APART = 60; // ms between two positions of a dragged point that are sent
const REACH = 26; // px around a point within which a press takes hold of it


/** @param {Plane} p @param {Line} ends @param {string} name @param {Element} group */
function line(p, ends, name, group) {
  const [x0, y0, x1, y1] = [p.x(ends[0]), p.y(ends[1]), p.x(ends[2]), p.y(ends[3])].map((v) => v.toFixed(2));
  element("path", { class: name, d: `M${x0} ${y0}L${x1} ${y1}` }, group);
}

// What the picture shows now: the point and the second point, with f and slopes.
/** @param {State} state @returns {Now} */
function shown(state) {
  const { data, i } = state, h = data.h[i];
  if (state.dragged === null) {
    const { at, value, slope, sides } = data.point;
    const quotient = real(data.quotient[i]), rise = real(data.rise[i]);
    return { at, value: real(value), slope: sides ? NaN : real(slope), sides: sides?.map(real), h, rise, quotient };
  }
  const curve = { ...data.curve, breaks: data.breaks };
  const [value, slope] = between(curve, state.dragged);
  const rise = between(curve, state.dragged + h)[0] - value;
  return { at: state.dragged, value, slope, sides: null, h, rise, quotient: rise / h };
}

/** @param {number} value */
const signOf = (value) => (Number.isNaN(value) ? "bad" : value > 0 ? "pos" : value < 0 ? "neg" : "zero");

/** @param {State} state */
function paint(state) {
  const now = shown(state), { words } = state.data;
  /** @type {NodeListOf<SVGSVGElement>} */
  const planes = state.stage.querySelectorAll("svg.plane");
  const svg = [...planes].find((drawing) => drawing.getClientRects().length);
  if (!svg) return;
  const p = plane(svg), group = /** @type {SVGElement} */ (part(svg, "g.moving"));
  const focused = document.activeElement?.classList.contains("first");
  group.replaceChildren();
  const clipped = element("g", { "clip-path": `url(#${group.dataset.clip})` }, group);
  /** @type {Label[]} */
  const labels = [];
  if (Number.isFinite(now.quotient) && Number.isFinite(now.value)) {
    const ends = across(p, now.at, now.value, now.quotient);
    if (ends) line(p, ends, "secant", clipped);
    const [x0, y0, x1, y1] = [p.x(now.at), p.y(now.value), p.x(now.at + now.h), p.y(now.value + now.rise)];
    element("path", { class: "rise", d: `M${x0} ${y0}H${x1}V${y1}` }, clipped);
    if (x1 - x0 > 34 && x1 <= p.edge) element("text", { class: "side", x: (x0 + x1) / 2, y: y0 + (now.rise < 0 ? -7 : 16), "text-anchor": "middle" }, clipped).textContent = "h";
    if (ends) labels.push({ text: `${words.secant} ${number(now.quotient)}`, name: "said", ends });
  }
  if (Number.isFinite(now.slope) && Number.isFinite(now.value)) {
    const ends = across(p, now.at, now.value, now.slope), name = signOf(now.slope);
    if (ends) line(p, ends, `tangent ${name}`, clipped);
    if (ends) labels.push({ text: `${words.tangent} ${number(now.slope, true)}`, name: `said ${name}`, ends });
  }
  if (now.sides && Number.isFinite(now.value)) now.sides.forEach((slope, right) => half(p, now, slope, right, clipped));
  label(p, labels, group);
  if (Number.isFinite(now.value)) {
    if (Number.isFinite(now.rise) && now.at + now.h <= p.high)
      element("circle", { class: "second", cx: p.x(now.at + now.h), cy: p.y(now.value + now.rise), r: 5.5 }, clipped);
  }
  const y = Number.isFinite(now.value) ? Math.min(p.foot, Math.max(p.top, p.y(now.value))) : p.foot;
  const handle = element("circle", { class: "first", cx: p.x(now.at), cy: y, r: 6.5, tabindex: 0, role: "slider" }, group);
  const said = { valuemin: p.low, valuemax: p.high, valuenow: now.at, valuetext: `x = ${number(now.at, false, 6)}, ${now.sides ? words.none : `f′ = ${number(now.slope, true)}`}`, label: words.point };
  for (const [key, value] of Object.entries(said)) handle.setAttribute(`aria-${key}`, String(value));
  if (focused) handle.focus({ preventScroll: true });
  part(state.stage, ".h-now").textContent = `h = ${number(now.h)}`;
  const row = Math.round(state.i / state.data.every) * state.data.every === state.i ? state.i : -1;
  for (const tr of state.stage.querySelectorAll("tr[data-i]")) tr.classList.toggle("on", Number(tr.dataset.i) === row);
}

// Where a line leaves the plot stands what it is; two that leave it close together keep apart.
/** @param {Plane} p @param {Label[]} labels @param {Element} group */
function label(p, labels, group) {
  if (p.right < 60) return above(p, labels, group);
  let last = null;
  for (const { text, name, ends } of labels.sort((a, b) => p.y(a.ends[3]) - p.y(b.ends[3]))) {
    const leaves = p.x(ends[2]) > p.edge - 2;
    let x = leaves ? p.edge + 6 : Math.min(p.x(ends[2]) + 6, p.edge + 6);
    let y = p.y(ends[3]) + (leaves ? 4 : ends[3] > (p.floor + p.roof) / 2 ? 12 : -4);
    if (last && Math.abs(last.y - y) < 17 && Math.abs(last.x - x) < 120) y = last.y + 17;
    last = { x, y };
    const said = element("text", { class: name, x, y }, group);
    said.textContent = text;
    said.setAttribute("x", String(Math.min(x, p.width - 2 - said.getComputedTextLength())));
  }
}

// Where there is no room beside the plot they stand above it, one at each end.
/** @param {Plane} p @param {Label[]} labels @param {Element} group */
function above(p, labels, group) {
  for (const { text, name } of labels) {
    const left = name !== "said";
    const place = { class: name, x: left ? p.left : p.edge, y: p.top - 9, "text-anchor": left ? "start" : "end" };
    element("text", place, group).textContent = text;
  }
}

// Half a tangent: from the point to the left or to the right, upright where the slope has no bound.
/** @param {Plane} p @param {Now} now @param {number} slope @param {number} right @param {Element} group */
function half(p, now, slope, right, group) {
  if (Number.isNaN(slope)) return;
  const upright = !Number.isFinite(slope), up = slope > 0 === Boolean(right);
  const end = upright ? now.at : right ? p.high : p.low;
  const height = upright ? (up ? p.roof : p.floor) : now.value + slope * (end - now.at);
  line(p, [now.at, now.value, end, height], `tangent half ${signOf(slope)}`, group);
}

/** @param {State} state @param {number} at */
const ask = (state, at) => state.set("moved", { at, count: (state.count += 1) });

// Round numbers while dragging: a step of 1, 2 or 5 times a power of ten, about a pixel or two wide.
/** @param {Plane} p @param {number} at */
function rounded(p, at) {
  const rough = (p.high - p.low) / 300, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((s) => s * power >= rough) ?? 10);
  const inside = Math.min(p.high, Math.max(p.low, at));
  return Number((Math.round(inside / step) * step).toPrecision(12));
}

/** @param {State} state @param {number} at @param {boolean} done */
function move(state, at, done) {
  if (at === state.dragged && !done) return;
  state.dragged = at;
  paint(state);
  clearTimeout(state.later);
  const wait = done ? 0 : Math.max(0, APART - (performance.now() - state.sent));
  const send = () => {
    state.sent = performance.now();
    state.asked = at;
    ask(state, at);
  };
  if (wait) state.later = setTimeout(send, wait);
  else send();
}

/** @param {HTMLElement} stage */
const sliderOf = (stage) => /** @type {HTMLInputElement} */ (part(stage, ".h-slider"));

/** @param {State} state @param {number} i @param {boolean} done */
function choose(state, i, done) {
  state.i = Math.min(state.data.h.length - 1, Math.max(0, i));
  const slider = sliderOf(state.stage);
  slider.value = String(state.i);
  slider.setAttribute("aria-valuetext", `h = ${number(state.data.h[state.i])}`);
  paint(state);
  if (done) state.set("chosen", state.i);
}

/** @param {SVGSVGElement} svg @param {PointerEvent} event */
const place = (svg, event) => {
  const box = svg.getBoundingClientRect();
  return [((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width, ((event.clientY - box.top) / box.height) * svg.viewBox.baseVal.height];
};

// On what holds the picture, not on the picture itself: a new one comes while the pointer is down.
/** @param {State} state @param {HTMLElement} host */
function drags(state, host) {
  const drawn = () => /** @type {SVGSVGElement} */ (part(host, "svg"));
  let held = "";
  host.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const svg = drawn(), p = plane(svg), [x, y] = place(svg, event), now = shown(state);
    if (x < p.left - 8 || x > p.edge + 8) return;
    const near = (/** @type {number} */ at, /** @type {number} */ height) => Math.hypot(p.x(at) - x, p.y(height) - y);
    const [first, second] = [near(now.at, now.value), near(now.at + now.h, now.value + now.rise)];
    const on = Math.abs(p.x(now.at) - x) < REACH && !Number.isFinite(now.value);
    held = first < REACH || on ? "first" : second < REACH ? "second" : event.pointerType === "mouse" ? "first" : "";
    if (!held) return;
    event.preventDefault();
    host.setPointerCapture(event.pointerId);
    part(svg, ".first").focus({ preventScroll: true });
    if (first >= REACH && held === "first") move(state, rounded(p, p.at(x)), false);
  });
  host.addEventListener("pointermove", (event) => {
    if (!held) return;
    const p = plane(drawn()), at = p.at(place(drawn(), event)[0]);
    if (held === "first") return move(state, rounded(p, at), false);
    const h = at - shown(state).at, { h: all } = state.data;
    choose(state, all.reduce((best, step, i) => (Math.abs(step - h) < Math.abs(all[best] - h) ? i : best), 0), false);
  });
  for (const end of ["pointerup", "pointercancel"])
    host.addEventListener(end, () => {
      if (held === "first" && state.dragged !== null && state.dragged !== state.asked) move(state, state.dragged, true);
      if (held === "second") choose(state, state.i, true);
      held = "";
    });
  host.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key] ?? 0;
    const p = plane(drawn());
    if (!targetOf(event).classList.contains("first") || (!step && event.key !== "Home" && event.key !== "End")) return;
    event.preventDefault();
    const unit = 10 ** Math.round(Math.log10((p.high - p.low) / 60)) * (event.shiftKey ? 10 : 1);
    const at = event.key === "Home" ? p.low : event.key === "End" ? p.high : shown(state).at + step * unit;
    move(state, Number(Math.min(p.high, Math.max(p.low, at)).toPrecision(12)), false);
  });
  // A finger on a point drags it; elsewhere it scrolls the page.
  host.addEventListener("touchstart", (event) => held && event.preventDefault(), { passive: false });
  host.addEventListener("touchmove", (event) => held && event.preventDefault(), { passive: false });
}

/** @param {State} state */
function build(state) {
  const { data, stage } = state;
  const slider = sliderOf(stage), every = data.every;
  for (const [name, svg] of Object.entries({ wide: data.wide, narrow: data.narrow })) {
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    part(stage, `.${name}`).replaceChildren(document.adoptNode(parsed));
  }
  part(stage, ".beside").innerHTML = data.table; // escaped by the server
  slider.max = String(data.h.length - 1);
  slider.setAttribute("aria-label", data.words.slider);
  const marks = data.h.filter((_, i) => i % every === 0);
  part(stage, ".h-marks").replaceChildren(
    ...marks.map((h, k) => {
      const mark = document.createElement("button");
      Object.assign(mark, { type: "button", textContent: number(h), tabIndex: -1, onclick: () => glide(state, k * every) });
      mark.style.setProperty("--at", `${(k / (marks.length - 1)) * 100}%`);
      return mark;
    }),
  );
  for (const row of stage.querySelectorAll("tr[data-i]")) row.onclick = () => glide(state, Number(row.dataset.i));
}

// From secant to secant: the second point slides along the curve.
/** @param {State} state @param {number} to */
function glide(state, to) {
  cancelAnimationFrame(state.frame ?? 0);
  const from = state.i, began = performance.now();
  const time = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--move")) || 0;
  const step = (/** @type {number} */ now) => {
    const t = time ? Math.min(1, (now - began) / time) : 1;
    choose(state, Math.round(from + (to - from) * (1 - (1 - t) ** 3)), t === 1);
    if (t < 1) state.frame = requestAnimationFrame(step);
  };
  step(time ? began : began + 1);
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement, setStateValue }) {
  const stage = /** @type {HTMLElement & { explorer?: State }} */ (part(parentElement, ".tangents"));
  const state = (stage.explorer ??= /** @type {State} */ ({
    stage, built: "", i: data.i, dragged: null, asked: null, sent: 0, count: 0, known: null,
  }));
  if (!state.built) for (const host of stage.querySelectorAll(".wide, .narrow")) drags(state, host);
  state.set = setStateValue;
  state.data = data;
  const built = JSON.stringify([data.wide, data.narrow, data.table, data.words]);
  if (built !== state.built) {
    const focused = document.activeElement?.classList.contains("first") && stage.contains(document.activeElement);
    state.built = built;
    build(state);
    if (focused) state.focus = true;
  }
  // The run for the last position has come: from here on its own values are shown.
  if (state.dragged !== null && (data.point.at === state.dragged || data.stale)) state.dragged = null;
  if (state.known !== data.version) {
    state.known = data.version;
    state.i = Math.min(data.i, data.h.length - 1);
  }
  const slider = sliderOf(stage);
  slider.oninput = () => choose(state, Number(slider.value), false);
  slider.onchange = () => choose(state, Number(slider.value), true);
  stage.classList.toggle("is-stale", data.stale);
  choose(state, state.i, false);
  if (state.focus) {
    [...stage.querySelectorAll(".first")].find((dot) => dot.getClientRects().length)?.focus({ preventScroll: true });
    state.focus = false;
  }
  stage.dataset.at = String(data.point.at);
  const resized = new ResizeObserver(() => paint(state));
  resized.observe(stage);
  return (ended) => {
    resized.disconnect();
    if (!ended) return;
    clearTimeout(state.later);
    cancelAnimationFrame(state.frame ?? 0);
  };
}
