// The cursor over the loss and the strips of a training: it follows the pointer and the arrow keys, and the numbers of
// its step stand at the ends of the rows. A press keeps the step; where a server listens it is told.

import { part, targetOf } from "../dom.js";

/**
 * As `film_data` makes it; numbers are float32 in base64.
 * @typedef {{ at: number, steps: number[], loops: string[], loss: string, rows: string[],
 *   sampled: boolean[], words: Record<string, string> }} Told
 * @typedef {{ html: string, film: Told, run: string }} Data
 * @typedef {HTMLElement & { explorerHtml?: string, explorerTimer?: number, explorerAt?: number, explorerRun?: string }} Root
 */

const FAR = 10; // steps of PageUp and PageDown
const REST = 200; // ms after the last key before the server hears of the step

/** @param {string} text */
const unpacked = (text) => new Float32Array(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer);

// As explorer/text/numbers.py writes a number, with three digits.
/** @param {number} value */
export function written(value) {
  if (Number.isNaN(value)) return "NaN";
  const sign = value < 0 ? "−" : "", size = Math.abs(value);
  if (size === Infinity) return `${sign}∞`;
  if (size >= 1 && size < 1e6) return sign + String(Number(size.toFixed(Math.max(0, 3 - String(Math.trunc(size)).length))));
  if (size === 0 || (size >= 1e-4 && size < 1)) return sign + String(Number(size.toPrecision(3)));
  const [mantissa, exponent] = size.toExponential(2).split("e");
  return `${sign}${Number(mantissa)}e${exponent.replace("+", "").replace("-", "−")}`;
}

// The picture of the data beside the film has a layer for some of the steps: the nearest one shows.
/** @param {number} step */
function showFit(step) {
  for (const fit of document.querySelectorAll(".fit")) {
    const layers = [...fit.querySelectorAll(".fit-step")];
    const far = layers.map((layer) => Math.abs(Number(layer.dataset.step) - step));
    const nearest = far.indexOf(Math.min(...far));
    layers.forEach((layer, k) => layer.classList.toggle("is-now", k === nearest));
    part(fit, ".fit-at").textContent = layers[nearest]?.dataset.step ?? "";
  }
}

/** @param {Page<Data>} page */
export function mount({ data, parentElement, setStateValue }) {
  const root = /** @type {Root} */ (part(parentElement, ".film-root"));
  if (root.explorerHtml !== data.html) {
    const active = document.activeElement;
    const held = active && root.contains(active) ? /** @type {HTMLElement} */ (active) : null;
    const again = held?.dataset.parameter ? `[data-parameter="${held.dataset.parameter}"]` : held ? ".film-over" : "";
    root.innerHTML = data.html;
    root.explorerHtml = data.html;
    if (again) root.querySelector(again)?.focus({ preventScroll: true });
  }
  const over = part(root, ".film-over");
  const { film } = data, count = film.steps.length;
  const loss = unpacked(film.loss), rows = film.rows.map(unpacked);
  const line = part(over, ".film-line"), now = part(root, ".film-now");
  const places = [...root.querySelectorAll(".film-value")];
  let pinned = film.at;
  let told = film.at;

  /** @param {number} at @param {boolean} aside */
  function show(at, aside) {
    const step = at < 0 ? count - 1 : at;
    over.classList.toggle("is-aside", aside);
    over.classList.toggle("is-pinned", at >= 0);
    line.style.left = `${(100 * (step + 0.5)) / count}%`;
    const where = [film.words.step.replace("{step}", String(film.steps[step])), film.loops[step]].filter(Boolean);
    now.textContent = `${where.join(" · ")} · ${film.words.loss} ${written(loss[step])}`;
    for (const place of places) {
      const row = Number(place.dataset.row), ofLoss = place.dataset.row === "loss";
      const value = (ofLoss ? loss : rows[row])[step];
      const about = !ofLoss && film.sampled[row] ? "≈ " : "";
      place.textContent = value === -1 && !ofLoss ? "–" : about + written(value);
      place.classList.toggle("is-bad", !Number.isFinite(value));
    }
    showFit(film.steps[step]);
    over.setAttribute("aria-valuenow", String(film.steps[step]));
    over.setAttribute("aria-valuetext", now.textContent ?? "");
  }

  function tell() {
    clearTimeout(root.explorerTimer);
    if (pinned === told) return;
    told = pinned;
    setStateValue("step", { step: pinned < 0 ? -1 : film.steps[pinned], run: data.run, at: Date.now() });
  }

  /** @param {number} at */
  function pin(at) {
    pinned = at;
    show(pinned, false);
    clearTimeout(root.explorerTimer);
    root.explorerTimer = window.setTimeout(tell, REST);
  }

  /** @param {MouseEvent} event */
  const under = (event) => {
    const box = over.getBoundingClientRect();
    return Math.max(0, Math.min(count - 1, Math.floor(((event.clientX - box.left) / box.width) * count)));
  };

  over.onpointermove = (event) => (event.buttons ? pin(under(event)) : show(under(event), true));
  over.onpointerleave = () => show(pinned, false);
  over.onpointerdown = (event) => {
    if (event.button !== 0) return;
    if (event.pointerType === "mouse") over.setPointerCapture(event.pointerId);
    over.focus({ preventScroll: true });
    pin(under(event));
  };
  over.onpointerup = tell;
  over.onkeydown = (event) => {
    const from = pinned < 0 ? count - 1 : pinned;
    const to = /** @type {Record<string, number>} */ ({
      ArrowLeft: from - 1, ArrowRight: from + 1, ArrowDown: from - 1, ArrowUp: from + 1,
      PageDown: from - FAR, PageUp: from + FAR, Home: 0, End: count - 1, Escape: -1,
    })[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    pin(event.key === "Escape" ? -1 : Math.max(0, Math.min(count - 1, to)));
  };
  root.onclick = (event) => {
    const name = targetOf(event).closest("[data-parameter]");
    if (!name) return;
    setStateValue("parameter", { parameter: Number(name.dataset.parameter), run: data.run, at: Date.now() });
  };
  show(pinned, false);
  return () => clearTimeout(root.explorerTimer);
}
