// The rounds of a training loop, for the player's track (explorerRounds). While its handle moves over them, frames from
// the reel are shown without the server (explorer:frame); when it is released, the server draws the round. Frames are
// requested (explorer:want) when a pointer approaches, because drawing them costs as much as many programs. Only the
// loop's problems are drawn here.

import { part, targetOf } from "../../../drawing/dom.js";
import { frameAt, nearest, textAt, unpacked } from "../../../drawing/graph/film.js";

/** @typedef {import("../../../drawing/graph/film.js").Frames} Frames */
/** @typedef {{ numbers: number[], losses: (number | null)[], lossTexts: string[], curve: string, names: string[], rounds: (string[] | null)[], backwards: number[] }} Line */
/**
 * What the server sends (strip.py). `line` is packed; `faults`: position, label and HTML of what is wrong from there on;
 * `at`: the position shown, -1 for none of this film; `key`: which film in which layout; `ahead`: whether its frames
 * are asked for before a hand comes near; `moment`: when the reader chose, so that every choice is answered.
 * @typedef {{ line: string, film: number, at: number, key: string, run: string, cell: number | null, calls: number,
 *   thinned: string, ahead: boolean, moment: number, words: Record<string, string>, faults: [number, string, string][] }} Data
 */
/**
 * @typedef {{ root: HTMLElement, data: Data, line?: Line, drawn?: string, faults?: string, frames?: Frames, framesOf?: string,
 *   bodies?: { positions: number[], body: (string | null)[] }, bodiesOf?: string, at: number, moving: boolean,
 *   playing: boolean, starts?: boolean, held?: boolean, ahead?: number, drawing?: number, resting?: number, next?: number, set(name: string, value: unknown): void }} State
 */

const AHEAD = 1500; // ms without a new program until frames are requested, if no other user is waiting for the server
const REST = 220; // ms without a movement after which the server is asked for the step
const PICTURES = 80; // least ms per picture while playing
const LONGEST = 20_000; // ms that a whole film plays, as long as its pictures allow it

// Whether frames of the shown film are available, and for which positions.
/** @param {State} state */
const isReady = (state) => state.framesOf === state.data.key;
/** @param {State} state */
const framed = (state) => (isReady(state) ? (state.frames?.positions ?? []) : []);

/** @param {State} state */
const last = (state) => (state.line?.numbers.length ?? 1) - 1;

/** @param {string} text @param {Record<string, string | number>} values */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));

/** @param {Line} line @param {Data} data @param {number} at */
function wordsAt(line, data, at) {
  const rounds = line.names.map((name, i) => `${name} = ${textAt(line.rounds[i] ?? [], at)}`).join(", ");
  const step = filled(data.words.at, { step: line.numbers[at].toLocaleString("en"), count: data.calls.toLocaleString("en") });
  return { step, rounds };
}

// What the player's track knows of the rounds now.
/** @param {State} state */
function show(state) {
  const { line, data } = state;
  globalThis.explorerRounds = line && {
    ...{ key: data.key, at: state.at, own: data.at, calls: data.calls, thinned: data.thinned, playing: state.playing },
    ...{ numbers: line.numbers, losses: line.losses, lossTexts: line.lossTexts, curve: line.curve, backwards: line.backwards },
    words: (at) => wordsAt(line, data, at),
    go: (at, held = false) => {
      if (state.playing) toggle(state, false);
      state.held = held;
      go(state, held ? framedNear(state, at) : at);
    },
    release: () => {
      if (!state.held) return;
      state.held = false;
      go(state, state.at);
    },
    play: (on) => toggle(state, on),
    want: () => want(state),
    leave: () => leave(state),
    redraw: () => rest(state),
  };
  document.dispatchEvent(new Event("explorer:rounds"));
}

// Shows the position's picture if its frame is available; until then the shown one, of another step, is faded.
/** @param {State} state */
function picture(state) {
  const { frames, bodies, at } = state;
  if (document.querySelector(".st-key-graph .stage")?.dataset.film !== state.data.key) return toggleOff(state); // of another program
  const found = framed(state).indexOf(at);
  const frame = frames && found >= 0 ? frameAt(frames, found) : null;
  const inspected = bodies && state.bodiesOf?.startsWith(`${state.data.key} `) ? bodies.positions.indexOf(at) : -1;
  put(".legendbar", frame?.legend);
  put(".st-key-inspector .inspection[aria-live]", bodies && inspected >= 0 ? textAt(bodies.body, inspected) : undefined);
  document.dispatchEvent(new CustomEvent("explorer:frame", { detail: frame }));
}

// Replaces an element's HTML by the server's; without any, the old HTML, of another step, is faded.
/** @param {string} place @param {string | undefined} html */
function put(place, html) {
  const found = document.querySelector(place);
  if (!found) return;
  found.classList.toggle("is-behind", html === undefined);
  if (html !== undefined && found.innerHTML !== html) found.innerHTML = html;
}

/** @param {State} state @param {number} at */
function go(state, at) {
  const wanted = Math.max(0, Math.min(last(state), at));
  clearTimeout(state.resting);
  if (!state.playing && !state.held) state.resting = setTimeout(() => rest(state), REST);
  if (wanted === state.at) return;
  state.at = wanted;
  state.moving = true;
  state.drawing ??= requestAnimationFrame(() => {
    state.drawing = undefined;
    show(state);
    picture(state);
  });
}

// The handle moves on to a moment of the run: the rounds stop moving.
/** @param {State} state */
function leave(state) {
  if (!state.moving && !state.playing) return;
  toggleOff(state);
  state.at = state.data.at;
  show(state);
}

// The server draws the step that is shown now, with all that belongs to it.
/** @param {State} state */
function rest(state) {
  state.moving = false;
  if (state.at < 0) return;
  const { film, run, cell } = state.data;
  state.set("chosen", { film, position: state.at, run, cell, at: Date.now() });
}

// The position of the frame nearest to a position; without frames the position itself.
/** @param {State} state @param {number} at */
function framedNear(state, at) {
  const positions = framed(state);
  const found = nearest(positions, at);
  return found < 0 ? at : positions[found];
}

/** @param {State} state */
function onward(state) {
  const positions = framed(state);
  const next = positions.find((position) => position > state.at);
  if (next === undefined) return toggle(state, false);
  go(state, next);
  state.next = setTimeout(() => onward(state), Math.max(PICTURES, Math.min(300, LONGEST / positions.length)));
}

// Requests frames of the shown film, unless they are here.
/** @param {State} state */
function want(state) {
  clearTimeout(state.ahead);
  if (isReady(state)) return;
  (globalThis.explorerReel ??= {}).wanted = state.data.key;
  document.dispatchEvent(new Event("explorer:want"));
}

/** @param {State} state @param {boolean} playing */
function toggle(state, playing) {
  clearTimeout(state.next);
  state.starts = playing && !isReady(state); // it begins when they are here
  if (state.starts) return want(state);
  state.playing = playing;
  if (playing) state.next = setTimeout(() => onward(state), PICTURES);
  else go(state, state.at);
  show(state);
}

// What is wrong, in sentences, each with the way to its step.
/** @param {State} state */
function showFaults(state) {
  const { faults } = state.data, drawn = JSON.stringify(faults);
  if (state.faults === drawn) return;
  state.faults = drawn;
  const list = part(state.root, ".remarks");
  state.root.hidden = !faults.length;
  list.replaceChildren(...faults.map(([at, label, html]) => {
    const item = document.createElement("li"), to = document.createElement("button"), words = document.createElement("span");
    Object.assign(to, { type: "button", className: "to-step", textContent: label });
    to.onclick = () => state.line && globalThis.explorerRounds?.go(at);
    words.innerHTML = html;
    item.append(to, " ", words);
    return item;
  }));
}

// Takes over the server's data sent after the timeline: frames, and the inspector's numbers for them.
/** @param {State} state */
async function take(state) {
  const { frames, bodies } = globalThis.explorerReel ?? {};
  if (frames?.packed && frames.key === state.data.key && state.framesOf !== frames.key) {
    state.frames = await unpacked(frames.packed);
    state.framesOf = frames.key;
    state.root.dataset.frames = isReady(state) ? "here" : "";
    if (state.starts) toggle(state, true);
  }
  if (bodies?.packed && state.bodiesOf !== bodies.key) {
    state.bodies = await unpacked(bodies.packed);
    state.bodiesOf = bodies.key;
  }
  if (state.moving) picture(state); // the handle was moved or held before they arrived
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement, setStateValue }) {
  const root = /** @type {HTMLElement & { explorer?: State }} */ (part(parentElement, ".strip"));
  const state = (root.explorer ??= /** @type {State} */ ({ root, at: -1, moving: false, playing: false }));
  const before = /** @type {Data | undefined} */ (state.data);
  Object.assign(state, { data, set: setStateValue });
  showFaults(state);
  root.dataset.frames = isReady(state) ? "here" : "";
  if (before?.key !== data.key) {
    toggleOff(state);
    if (document.querySelector(".player:hover, .player:focus-within")) want(state);
    else if (data.ahead) state.ahead = setTimeout(() => want(state), AHEAD);
  }
  if (!state.moving && !state.playing) state.at = data.at;
  if (state.drawn !== data.line) {
    state.drawn = data.line;
    unpacked(data.line).then((line) => {
      state.line = line;
      show(state);
    });
  } else show(state);
  const typed = (/** @type {Event} */ event) => state.playing && targetOf(event).closest?.(".code-editor") && toggle(state, false);
  void take(state);
  const left = new AbortController(), { signal } = left;
  document.addEventListener("input", typed, { signal });
  document.addEventListener("explorer:reel", () => void take(state), { signal });
  document.addEventListener("explorer:drawn", () => state.moving && picture(state), { signal }); // the server's is of a step left meanwhile
  return (ended) => {
    if (ended) {
      toggleOff(state);
      globalThis.explorerRounds = undefined;
      document.dispatchEvent(new Event("explorer:rounds"));
    }
    left.abort();
  };
}

/** @param {State} state */
function toggleOff(state) {
  clearTimeout(state.next);
  clearTimeout(state.resting);
  clearTimeout(state.ahead);
  if (state.drawing !== undefined) cancelAnimationFrame(state.drawing);
  state.drawing = undefined;
  Object.assign(state, { playing: false, starts: false, moving: false });
}
