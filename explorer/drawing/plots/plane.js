// The plane of a plot: between numbers and places in the server's drawing (chart.py), a curve between
// its known points, a line through a point.

/** @typedef {number | string | null} Sent A number as JSON has it: null is NaN, infinities are words. */
/** @typedef {{ x: number[], y: Sent[], slope: Sent[], breaks: number[] }} Curve */
/**
 * The plot's rectangle, and the ways between numbers and places in the drawing.
 * @typedef {{ width: number, left: number, right: number, top: number, low: number, high: number, floor: number,
 *   roof: number, edge: number, foot: number, x(at: number): number, y(at: number): number, at(px: number): number }} Plane
 */
/** @typedef {[x0: number, y0: number, x1: number, y1: number]} Line */

const SVG = "http://www.w3.org/2000/svg";

// f and its slope between two known points: the cubic through both with both slopes (Hermite); beside a kink or a jump no
// slope.
/** @param {Curve} curve @param {number} at @returns {[value: number, slope: number]} */
export function between(curve, at) {
  const { x, y, slope } = curve, last = x.length - 1;
  const i = Math.min(last - 1, Math.max(0, Math.floor(((at - x[0]) / (x[last] - x[0])) * last)));
  const [y0, y1, s0, s1] = [y[i], y[i + 1], slope[i], slope[i + 1]].map(real);
  if (!Number.isFinite(y0) || !Number.isFinite(y1) || at < x[0] || at > x[last]) return [NaN, NaN];
  const width = x[i + 1] - x[i], t = (at - x[i]) / width;
  if (curve.breaks.some((gap) => gap >= x[i] && gap <= x[i + 1])) return [y0 + t * (y1 - y0), NaN];
  if (!Number.isFinite(s0) || !Number.isFinite(s1)) return [y0 + t * (y1 - y0), (y1 - y0) / width];
  const [a, b] = [y0 - y1 + s0 * width, y1 - y0 - s1 * width];
  return [
    (1 - t) * y0 + t * y1 + t * (1 - t) * ((1 - t) * a + t * b),
    (y1 - y0) / width + ((1 - 2 * t) * (a * (1 - t) + b * t) + t * (1 - t) * (b - a)) / width,
  ];
}

/** @param {number | string | null} value */
export const real = (value) => (value === null ? NaN : typeof value === "string" ? Number(value) : value);

/** @param {SVGSVGElement} svg @returns {Plane} */
export function plane(svg) {
  const of = Object.fromEntries(Object.entries(svg.dataset).map(([key, value]) => [key, Number(value)]));
  const wide = of.width - of.left - of.right, tall = of.height - of.top - of.bottom;
  return /** @type {Plane} */ ({
    ...of,
    x: (at) => of.left + ((at - of.low) / (of.high - of.low)) * wide,
    y: (at) => of.top + (1 - (at - of.floor) / (of.roof - of.floor)) * tall,
    at: (px) => of.low + ((px - of.left) / wide) * (of.high - of.low),
    edge: of.width - of.right,
    foot: of.height - of.bottom,
  });
}

/** @template {keyof SVGElementTagNameMap} Tag @param {Tag} name @param {Record<string, string | number>} attributes @param {Element} parent */
export function element(name, attributes, parent) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  parent.append(made);
  return made;
}

// The two ends of a line through (x, y) with a slope, cut by the plot's rectangle; null when it never enters it.
/** @param {Plane} p @param {number} x @param {number} y @param {number} slope @returns {Line | null} */
export function across(p, x, y, slope) {
  let [from, to] = [p.low, p.high];
  const height = (/** @type {number} */ at) => y + slope * (at - x);
  for (const bound of [p.floor, p.roof]) {
    if (slope === 0) break;
    const cut = x + (bound - y) / slope, rising = (slope > 0) === (bound === p.floor);
    if (rising) from = Math.max(from, cut);
    else to = Math.min(to, cut);
  }
  return from < to ? [from, height(from), to, height(to)] : null;
}
