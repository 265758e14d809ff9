// The points of a plot that its sliders move can be taken: the first by the first slider, the second by the second.

/** @typedef {import("./plot.js").Plot} Plot */
/** @typedef {import("./plot.js").Slider} Slider */

const REACH = 26; // px around a point within which a press takes hold of it

/** @param {Slider} slider @param {number} value */
export const nearest = ({ steps }, value) =>
  steps.reduce((best, { value: each }, i) => (Math.abs(Number(each) - value) < Math.abs(Number(steps[best].value) - value) ? i : best), 0);

/** @param {Plot} plot @param {(plot: Plot, which: number, place: number, touches: import("./plot.js").Touch[]) => void} touch */
export function take(plot, touch) {
  const points = () => plot.data.find(({ name }) => name === "points");
  let taken = false;
  // How many px each point lies from the pointer, and which value is under it.
  const under = (/** @type {MouseEvent} */ { clientX, clientY }) => {
    const { xaxis, yaxis } = plot._fullLayout, box = plot.getBoundingClientRect(), of = points();
    const x = clientX - box.left - xaxis._offset, y = clientY - box.top - yaxis._offset;
    const away = (of?.x ?? []).map((at, i) => Math.hypot(xaxis.d2p(at) - x, yaxis.d2p(of?.y[i] ?? NaN) - y) || 0);
    return { value: xaxis.p2d(x), away };
  };
  plot.addEventListener("pointermove", (event) => {
    if (plot.layout.sliders?.length) plot.classList.toggle("is-near", under(event).away.some((px) => px < REACH));
  });
  plot.addEventListener("pointerdown", (event) => {
    const { away } = under(event), which = away.indexOf(Math.min(...away)), slider = plot.layout.sliders?.[which];
    if (!slider || event.button || !(away[which] < REACH)) return;
    event.preventDefault();
    plot.classList.toggle("is-taken", (taken = true));
    const from = which ? points()?.x[0] ?? 0 : 0, over = new AbortController();
    touch(plot, which, slider.active, ["mousedown"]);
    const to = (/** @type {PointerEvent} */ moved) => touch(plot, which, nearest(slider, under(moved).value - from), ["mousemove"]);
    addEventListener("pointermove", to, { signal: over.signal });
    for (const end of ["pointerup", "pointercancel"])
      addEventListener(end, () => (plot.classList.toggle("is-taken", (taken = false)), over.abort(), touch(plot, which, 0, ["mouseup"])), { signal: over.signal });
  }, { capture: true });
  // Nothing else hears of the hand meanwhile: plotly would zoom, a finger would scroll.
  const mine = (/** @type {Event} */ event) => taken && event.isTrusted && event.stopPropagation();
  for (const name of ["mousedown", "mousemove", "mouseup", "click"]) plot.addEventListener(name, mine, { capture: true });
  for (const name of ["touchstart", "touchmove"])
    plot.addEventListener(name, (event) => taken && event.preventDefault(), { capture: true, passive: false });
}
