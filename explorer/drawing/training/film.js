// The steps of a training, played or chosen by pointer and keys: loss, strips and the
// numbers at the ends of the rows show the same step, without the server. The server only gets a chosen step.

import { part, targetOf } from "../dom.js";
import { icon } from "../player/icons.js";
import { number } from "../plots/numbers.js";

/**
 * As `film_data` makes it; numbers are float32 in base64. `beside`: of the second column; `marks`: steps, by index, at which something happened; `before`: the loss of an earlier run, −∞ where it has none.
 * @typedef {{ at: number, steps: number[], loops: string[], loss: string, rows: string[], sampled: boolean[],
 *   beside: string[], besideSampled: boolean[], rates: [name: string, rates: string][],
 *   marks: [at: number, words: string][], before: string, opens: boolean, words: Record<string, string> }} Told
 * @typedef {{ html: string, film: Told, run: string }} Data
 * `explorerHtml`: what was drawn; `explorerRun`: of which run; `explorerPlays`: the index that is playing; `explorerAt`: the
 * one that the server sent last; `explorerPinned`: the one chosen here; `explorerSent`: those that the server will repeat.
 * @typedef {HTMLElement & { explorerHtml?: string, explorerTimer?: number, explorerRun?: string, explorerPlays?: number,
 *   explorerSpeed?: string, explorerAt?: number, explorerPinned?: number, explorerSent?: number[] }} Root
 */

const FAR = 10; // steps of PageUp and PageDown
const REST = 200; // ms after the last key before the server hears of the step
const SETTLED = 600; // ms after the last change of a number before the new run plays
const LEAST = 4_000, MOST = 9_000, EACH = 250; // ms of a whole training, and of a step in a short one
const LINGER = 900; // ms that a mark is shown
/** @type {Record<string, (from: number, last: number) => number>} */
const KEYS = {
  ArrowLeft: (from) => from - 1, ArrowRight: (from) => from + 1, ArrowDown: (from) => from - 1, ArrowUp: (from) => from + 1,
  PageDown: (from) => from - FAR, PageUp: (from) => from + FAR, Home: () => 0, End: (_, last) => last,
};

/** @param {string} text */
const unpacked = (text) => new Float32Array(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)).buffer);

// The chosen step: the server's, if it differs from the one sent to it; its echo is outdated.
/** @param {Root} root @param {Data} data */
function chosen(root, { film: { at }, run }) {
  const same = root.explorerRun === run && root.explorerPinned !== undefined;
  const sent = root.explorerSent ?? [], echo = sent.indexOf(at);
  const own = same && (at === root.explorerAt || echo >= 0);
  root.explorerSent = own ? sent.slice(echo + 1) : [];
  root.explorerAt = at;
  return own ? (root.explorerPinned ?? at) : at;
}

/** @param {Page<Data>} page */
export function mount({ data, parentElement, setStateValue }) {
  const root = /** @type {Root} */ (part(parentElement, ".film-root"));
  if (root.explorerHtml !== data.html) {
    const active = document.activeElement;
    const held = active && root.contains(active) ? /** @type {HTMLElement} */ (active) : null;
    const again = held?.dataset.parameter ? `[data-parameter="${held.dataset.parameter}"]` : held ? `.${held.classList[0]}` : "";
    root.innerHTML = data.html;
    root.explorerHtml = data.html;
    if (again) root.querySelector(again)?.focus({ preventScroll: true });
  }
  const figure = part(root, ".film"), over = part(root, ".film-over"), now = part(root, ".film-now");
  const play = part(root, ".film-play"), first = part(root, ".film-first"), graph = part(root, ".film-graph");
  const speed = /** @type {HTMLSelectElement} */ (part(root, ".film-speed"));
  const { film } = data, count = film.steps.length, last = count - 1;
  const loss = unpacked(film.loss), before = unpacked(film.before);
  const rates = film.rates.map(([name, packed]) => ({ name, of: unpacked(packed) }));
  const marks = new Map(film.marks);
  const strips = { rows: film.rows.map(unpacked), sampled: film.sampled };
  const beside = { rows: film.beside.map(unpacked), sampled: film.besideSampled };
  const places = /** @type {HTMLElement[]} */ ([...root.querySelectorAll(".film-value[data-row], .film-beside[data-row]")]);
  const happened = /** @type {HTMLElement[]} */ ([...root.querySelectorAll("[data-at]")]);
  let pinned = chosen(root, data), frame = 0;
  let sentPinned = root.explorerSent?.at(-1) ?? film.at;
  const changed = root.explorerRun !== undefined && root.explorerRun !== data.run;
  root.explorerRun = data.run;
  first.innerHTML = icon("first");
  graph.hidden = !film.opens;
  if (root.explorerSpeed) speed.value = root.explorerSpeed;

  /** @param {number} step */
  function sentence(step) {
    const was = before.length && before[step] !== -Infinity ? ` (${film.words.before}: ${number(before[step])})` : "";
    const found = [film.words.step.replace("{step}", String(film.steps[step])), film.loops[step]];
    found.push(`${film.words.loss} ${number(loss[step])}${was}`);
    const mark = marks.get(step);
    if (mark) found.push(mark);
    else for (const { name, of } of rates) if (!Number.isNaN(of[step])) found.push(`${name} ${number(of[step])}`);
    return found.filter(Boolean).join(" · ");
  }

  /** @param {HTMLElement} place @param {number} step */
  function fill(place, step) {
    if (place.dataset.row === "loss") {
      place.textContent = number(loss[step]);
      place.classList.toggle("is-bad", !Number.isFinite(loss[step]));
      return;
    }
    const of = place.classList.contains("film-value") ? strips : beside, row = Number(place.dataset.row);
    const value = of.rows[row][step];
    place.textContent = value === -1 ? "–" : (of.sampled[row] ? "≈ " : "") + number(value);
    place.classList.toggle("is-bad", !Number.isFinite(value));
  }

  // `at`: −1 for the whole training, at rest; `aside`: under the pointer only.
  /** @param {number} at @param {boolean} aside */
  function show(at, aside) {
    root.explorerPinned = pinned;
    const step = at < 0 ? last : at, playing = root.explorerPlays !== undefined;
    over.classList.toggle("is-aside", aside);
    over.classList.toggle("is-pinned", at >= 0);
    figure.classList.toggle("is-then", at >= 0 && !aside);
    figure.classList.toggle("is-playing", playing);
    figure.style.setProperty("--at", `${(100 * (step + 0.5)) / count}%`);
    for (const one of happened) one.classList.toggle("is-later", playing && Number(one.dataset.at) > step);
    for (const place of places) fill(place, step);
    now.textContent = sentence(step);
    over.setAttribute("aria-valuenow", String(film.steps[step]));
    over.setAttribute("aria-valuetext", now.textContent ?? "");
  }

  function sendPinned() {
    clearTimeout(root.explorerTimer);
    if (pinned === sentPinned) return;
    sentPinned = pinned;
    root.explorerSent?.push(pinned);
    setStateValue("step", { step: pinned < 0 ? -1 : film.steps[pinned], run: data.run, at: Date.now() });
  }

  /** @param {number} at */
  function pin(at) {
    pause();
    pinned = at;
    show(pinned, false);
    clearTimeout(root.explorerTimer);
    root.explorerTimer = window.setTimeout(sendPinned, REST);
  }

  function button() {
    const name = root.explorerPlays === undefined ? "play" : "pause";
    play.innerHTML = icon(name);
    play.title = film.words[name];
    play.setAttribute("aria-label", film.words[name]);
    now.setAttribute("aria-live", name === "play" ? "polite" : "off"); // too many steps to read aloud
  }

  function pause() {
    cancelAnimationFrame(frame);
    root.explorerPlays = undefined;
    button();
  }

  // From a step on to the end, at which the whole training shows again.
  /** @param {number} from */
  function run(from) {
    clearTimeout(root.explorerTimer);
    let at = from, then = performance.now(), wait = 0;
    const each = Math.min(MOST, Math.max(LEAST, count * EACH)) / count;
    /** @param {number} time */
    const next = (time) => {
      let passed = Math.max(0, time - then) * Number(speed.value);
      then = time;
      [wait, passed] = [Math.max(0, wait - passed), Math.max(0, passed - wait)];
      const begun = Math.floor(at);
      at += passed / each;
      for (let step = begun + 1; step <= Math.min(last, at); step += 1)
        if (marks.has(step)) [at, wait] = [step, LINGER];
      if (at >= count && !wait) {
        pinned = -1;
        pause();
        show(pinned, false);
        sendPinned();
        return;
      }
      pinned = root.explorerPlays = Math.min(last, Math.floor(at));
      show(pinned, false);
      frame = requestAnimationFrame(next);
    };
    pinned = root.explorerPlays = from;
    button();
    show(from, false);
    frame = requestAnimationFrame(next);
  }

  const toggle = () => {
    if (root.explorerPlays === undefined) return run(pinned < 0 || pinned >= last ? 0 : pinned);
    pause();
    show(pinned, false);
    sendPinned();
  };

  /** @param {MouseEvent} event */
  const under = (event) => {
    const box = over.getBoundingClientRect();
    return Math.max(0, Math.min(last, Math.floor(((event.clientX - box.left) / box.width) * count)));
  };

  over.onpointermove = (event) => {
    if (event.buttons) pin(under(event));
    else if (root.explorerPlays === undefined) show(under(event), true);
  };
  over.onpointerleave = () => show(pinned, false);
  over.onpointerdown = (event) => {
    if (event.button !== 0) return;
    if (event.pointerType === "mouse") over.setPointerCapture(event.pointerId);
    over.focus({ preventScroll: true });
    pin(under(event));
  };
  over.onpointerup = sendPinned;
  over.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS || event.key === "Escape" || event.key === " ")) return;
    event.preventDefault();
    if (event.key === " ") return toggle();
    pin(event.key === "Escape" ? -1 : Math.max(0, Math.min(last, KEYS[event.key](pinned < 0 ? last : pinned, last))));
  };
  play.onclick = toggle;
  first.onclick = () => pin(0);
  speed.onchange = () => (root.explorerSpeed = speed.value);
  graph.onclick = () => setStateValue("graph", { graph: film.steps[pinned < 0 ? last : pinned], run: data.run, at: Date.now() });
  root.onclick = (event) => {
    const name = targetOf(event).closest("[data-parameter]");
    if (!(name instanceof HTMLElement)) return;
    setStateValue("parameter", { parameter: Number(name.dataset.parameter), run: data.run, at: Date.now() });
  };
  const going = root.explorerPlays;
  pause();
  if (going !== undefined && !changed) run(Math.min(last, going));
  else {
    show(pinned, false);
    if (pinned !== sentPinned) root.explorerTimer = window.setTimeout(sendPinned, REST);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (changed && film.before && !still) root.explorerTimer = window.setTimeout(() => run(0), SETTLED);
  }
  return () => {
    clearTimeout(root.explorerTimer);
    cancelAnimationFrame(frame);
  };
}
