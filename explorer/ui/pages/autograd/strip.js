// The time line of a training loop: the loss over its steps, a handle, and play. While it moves, the frames that came
// with the reel are shown without asking the server (explorer:frame); where it comes to rest, the server draws the step.
// They are asked for (explorer:want) when a hand comes near: to draw them takes the server as long as many programs.

import { part, targetOf } from "../../../drawing/dom.js";
import { frameAt, nearest, textAt, unpacked } from "../../../drawing/graph/film.js";

/** @typedef {import("../../../drawing/graph/film.js").Frames} Frames */
/** @typedef {{ numbers: number[], losses: (number | null)[], told: string[], said: string[], rounds: (string[] | null)[], kept: number[] }} Line */
/**
 * What the server sends (strip.py). `line` is packed; `said`: position, label and HTML of what is wrong from there on;
 * `at`: the position shown, -1 for none of this film; `key`: which film in which layout; `ahead`: whether its frames
 * are asked for before a hand comes near; `moment`: when the reader chose, so that every choice is answered.
 * @typedef {{ line: string, film: number, at: number, key: string, run: string, cell: number | null, calls: number,
 *   thinned: string, ahead: boolean, moment: number, words: Record<string, string>, said: [number, string, string][] }} Data
 */
/**
 * @typedef {{ root: HTMLElement, data: Data, line?: Line, drawn?: string, said?: string, frames?: Frames, framesOf?: string,
 *   bodies?: { positions: number[], body: (string | null)[] }, bodiesOf?: string, at: number, lent?: number, moving: boolean,
 *   playing: boolean, starts?: boolean, held?: boolean, ahead?: number, drawing?: number, resting?: number, next?: number, set(name: string, value: unknown): void }} State
 */

const AHEAD = 1500; // ms without another program after which frames are asked for where nobody else waits for the server
const REST = 220; // ms without a movement after which the server is asked for the step
const PICTURES = 80; // ms that a picture stands while playing, at least
const LONGEST = 20_000; // ms that a whole film plays, as long as its pictures allow it
const PAGE = 10; // steps of Page Up and Page Down
const TALL = 100; // units of height of the line
const WIDE = 100; // how many times the least the greatest loss is, before their scale is logarithmic
const ICONS = { play: "M3 1.5v11L12.5 7z", pause: "M3 2h3v10H3zM8 2h3v10H8z" };

// Whether the frames of what is shown are at hand, and of which positions.
/** @param {State} state */
const isReady = (state) => state.framesOf === state.data.key;
/** @param {State} state */
const framed = (state) => (isReady(state) ? (state.frames?.positions ?? []) : []);

/** @param {State} state */
const last = (state) => (state.line?.numbers.length ?? 1) - 1;

/** @param {string} text @param {Record<string, string | number>} values */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));

/** @param {State} state @param {number} at */
function wordsAt({ line, data }, at) {
  if (!line) return { rounds: "", step: "", loss: "" };
  const rounds = line.said.map((name, i) => `${name} ${textAt(line.rounds[i] ?? [], at)}`).join(", ");
  const step = filled(data.words.at, { step: line.numbers[at].toLocaleString("en"), count: data.calls.toLocaleString("en") });
  return { rounds, step, loss: `${data.words.loss} ${line.told[at]}` };
}

// The loss as a path: gaps where it is no number, as many points as the line is wide at most.
/** @param {(number | null)[]} losses */
function pathOf(losses) {
  const finite = /** @type {number[]} */ (losses.filter((one) => one !== null));
  const least = Math.min(...finite), most = Math.max(...finite);
  const log = least > 0 && most / least > WIDE;
  const scale = (/** @type {number} */ one) => (log ? Math.log(one) : one);
  const [low, high] = [scale(least), scale(most)];
  const y = (/** @type {number} */ one) => TALL - (high > low ? (scale(one) - low) / (high - low) : 0.5) * TALL;
  let path = "", open = false;
  losses.forEach((one, i) => {
    if (one !== null) path += `${open ? "L" : "M"}${i},${y(one).toFixed(1)}`;
    if (one !== null && !open && losses[i + 1] === null) path += "h.01"; // a single number between others is a dot
    open = one !== null;
  });
  return { path, log };
}

// Runs of positions for which something holds, as [from, to].
/** @param {number} count @param {(at: number) => boolean} holds */
function runs(count, holds) {
  /** @type {[number, number][]} */
  const found = [];
  for (let at = 0; at < count; at++)
    if (holds(at)) {
      const before = found[found.length - 1];
      if (before && before[1] === at - 1) before[1] = at;
      else found.push([at, at]);
    }
  return found;
}

/** @param {State} state */
function drawLine(state) {
  const { line, root } = state;
  if (!line) return;
  const count = line.numbers.length;
  const { losses } = line;
  const kept = new Set(line.kept);
  const bars = (/** @type {[number, number][]} */ all, /** @type {string} */ name, /** @type {string} */ box) =>
    all.map(([from, to]) => `<rect class="${name}" x="${from - 0.5}" width="${to - from + 1}" ${box}/>`).join("");
  const { path, log } = pathOf(losses);
  part(root, ".scale").textContent = log ? state.data.words.log : "";
  part(root, ".loss").innerHTML =
    `<svg viewBox="-0.5 -6 ${count} ${TALL + 12}" preserveAspectRatio="none" aria-hidden="true">` +
    bars(runs(count, (at) => losses[at] === null), "nan", `y="-6" height="${TALL + 12}"`) +
    `<path d="${path}" vector-effect="non-scaling-stroke"/></svg>`;
  part(root, ".kept").innerHTML =
    `<svg viewBox="-0.5 0 ${count} 1" preserveAspectRatio="none" aria-hidden="true">` +
    bars(runs(count, (at) => kept.has(at)), "graph", 'y="0" height="1"') + "</svg>";
}

/** @param {State} state */
function show(state) {
  const { root, data, line } = state;
  const at = state.lent ?? state.at, none = at < 0;
  const lane = part(root, ".lane"), words = wordsAt(state, Math.max(0, at));
  part(root, ".hand").style.left = `${none ? 0 : (100 * (at + 0.5)) / (last(state) + 1)}%`;
  part(root, ".hand").hidden = none;
  part(root, ".rounds").textContent = none ? "" : words.rounds;
  part(root, ".number").textContent = none ? data.words.none : words.step;
  part(root, ".loss-now").textContent = none ? "" : words.loss;
  part(root, ".loss-now").classList.toggle("bad", !none && line?.losses[at] === null);
  lane.setAttribute("aria-valuemin", "1");
  lane.setAttribute("aria-valuemax", String(data.calls));
  lane.setAttribute("aria-valuenow", String(line?.numbers[Math.max(0, at)] ?? 1));
  lane.setAttribute("aria-valuetext", [words.step, words.rounds, words.loss].filter(Boolean).join(", "));
  const go = part(root, ".go"), label = state.playing ? data.words.pause : data.words.play;
  go.innerHTML = `<svg viewBox="0 0 14 14" aria-hidden="true"><path d="${ICONS[state.playing ? "pause" : "play"]}"/></svg>`;
  go.setAttribute("aria-label", label);
  go.title = label;
}

// The picture of the position, if its frame is at hand; until then the one that is shown is faded: it is of another step.
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

// HTML of the server's in the place of what stands there; where there is none, that is faded: it is of another step.
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
  state.lent = undefined;
  state.moving = true;
  state.drawing ??= requestAnimationFrame(() => {
    state.drawing = undefined;
    show(state);
    picture(state);
  });
}

// The server draws the step that is shown now, with all that belongs to it.
/** @param {State} state */
function rest(state) {
  state.moving = false;
  if (state.at < 0) return;
  const { film, run, cell } = state.data;
  state.set("chosen", { film, position: state.at, run, cell, at: Date.now() });
}

// Where there is a frame nearest to a position; without frames every position is as good.
/** @param {State} state @param {number} at */
function framedNear(state, at) {
  const positions = framed(state);
  const found = nearest(positions, at);
  return found < 0 ? at : positions[found];
}

/** @param {State} state */
function onward(state) {
  const positions = framed(state);
  const next = positions.find((one) => one > state.at);
  if (next === undefined) return toggle(state, false);
  go(state, next);
  state.next = setTimeout(() => onward(state), Math.max(PICTURES, Math.min(300, LONGEST / positions.length)));
}

// Frames of what is shown, unless they are here.
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
  button(state).setAttribute("aria-busy", String(state.starts));
  if (state.starts) return want(state);
  state.playing = playing;
  if (playing) {
    const positions = framed(state);
    if (state.at >= (positions[positions.length - 1] ?? 0)) go(state, positions[0] ?? 0);
    state.next = setTimeout(() => onward(state), PICTURES);
  } else go(state, state.at);
  show(state);
}

/** @param {State} state @param {KeyboardEvent} event */
function pressed(state, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  /** @type {Record<string, number>} */
  const to = {
    ArrowLeft: state.at - 1, ArrowDown: state.at - 1, ArrowRight: state.at + 1, ArrowUp: state.at + 1,
    PageDown: state.at - PAGE, PageUp: state.at + PAGE, Home: 0, End: last(state),
  };
  if (event.key === " ") toggle(state, !state.playing);
  else if (event.key in to) {
    if (state.playing) toggle(state, false);
    go(state, to[event.key]);
  } else return;
  event.preventDefault();
  event.stopPropagation();
}

/** @param {State} state */
function build(state) {
  const { root } = state;
  root.innerHTML =
    '<button type="button" class="go"></button><div class="lane" role="slider" tabindex="0"><div class="loss"></div><small class="scale"></small>' +
    '<div class="kept"></div><i class="hand"></i></div><div class="told"><b class="number"></b>' +
    '<span class="rounds"></span><span class="loss-now"></span><small class="thinned"></small></div><ul class="said remarks"></ul>';
  const lane = part(root, ".lane");
  const move = (/** @type {PointerEvent} */ event) => {
    const box = lane.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    go(state, framedNear(state, Math.round(share * (last(state) + 1) - 0.5)));
  };
  lane.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    toggle(state, false);
    lane.setPointerCapture(event.pointerId);
    state.held = true;
    move(event);
  });
  lane.addEventListener("lostpointercapture", () => {
    state.held = false;
    go(state, state.at);
  });
  lane.addEventListener("pointermove", (event) => lane.hasPointerCapture(event.pointerId) && move(event));
  lane.addEventListener("keydown", (event) => pressed(state, event));
  part(root, ".go").onclick = () => toggle(state, !state.playing && !state.starts);
  for (const near of ["pointerenter", "focusin"]) root.addEventListener(near, () => want(state));
}

// What is wrong, in sentences, each with the way to its step.
/** @param {State} state */
function tell(state) {
  const { said } = state.data, drawn = JSON.stringify(said);
  if (state.said === drawn) return;
  state.said = drawn;
  const list = part(state.root, ".said");
  list.hidden = !said.length;
  list.replaceChildren(...said.map(([at, label, html]) => {
    const item = document.createElement("li"), to = document.createElement("button"), words = document.createElement("span");
    Object.assign(to, { type: "button", className: "to-step", textContent: label });
    to.onclick = () => {
      if (!state.line) return;
      toggle(state, false);
      go(state, at);
    };
    words.innerHTML = html;
    item.append(to, " ", words);
    return item;
  }));
}

/** @param {State} state @returns {HTMLButtonElement} */
const button = ({ root }) => part(root, "button.go");

// What the server sent beside the time line: frames, and the inspector's numbers for them.
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
  if (state.moving) picture(state); // the handle was moved, or is held, before they came
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement, setStateValue }) {
  const root = /** @type {HTMLElement & { explorer?: State }} */ (part(parentElement, ".strip"));
  const fresh = !root.explorer;
  const state = (root.explorer ??= /** @type {State} */ ({ root, at: -1, moving: false, playing: false }));
  const before = /** @type {Data | undefined} */ (state.data);
  Object.assign(state, { data, set: setStateValue });
  if (fresh) build(state);
  root.setAttribute("aria-label", data.words.label);
  part(root, ".lane").setAttribute("aria-label", data.words.step);
  part(root, ".lane").title = data.words.hint;
  part(root, ".thinned").textContent = data.thinned;
  tell(state);
  root.dataset.frames = isReady(state) ? "here" : "";
  if (before?.key !== data.key) {
    toggleOff(state);
    if (root.matches(":hover") || root.contains(document.activeElement)) want(state);
    else if (data.ahead) state.ahead = setTimeout(() => want(state), AHEAD);
  }
  if (!state.moving && !state.playing) {
    state.at = data.at;
  }
  if (state.drawn !== data.line) {
    state.drawn = data.line;
    unpacked(data.line).then((line) => {
      state.line = line;
      drawLine(state);
      show(state);
    });
  } else show(state);
  const typed = (/** @type {Event} */ event) => state.playing && targetOf(event).closest?.(".code-editor") && toggle(state, false);
  document.addEventListener("input", typed);
  const came = () => void take(state);
  const stepped = (/** @type {DocumentEventMap["explorer:step"]} */ { detail }) => {
    if (state.lent === detail?.position || state.moving) return;
    state.lent = detail?.position;
    show(state);
  };
  document.addEventListener("explorer:step", stepped);
  const drawn = () => state.moving && picture(state); // the server's picture is of a step that was left meanwhile
  came();
  document.addEventListener("explorer:reel", came);
  document.addEventListener("explorer:drawn", drawn);
  return (ended) => {
    if (ended) toggleOff(state);
    document.removeEventListener("input", typed);
    document.removeEventListener("explorer:step", stepped);
    document.removeEventListener("explorer:reel", came);
    document.removeEventListener("explorer:drawn", drawn);
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
  button(state).removeAttribute("aria-busy");
}
