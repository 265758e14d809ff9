// The player: steps through a run's timeline, which the server sends once, when a pointer approaches. It only announces
// a moment's content on `document` (explorer:step); the graph, the editor and the output draw it.

import { unpacked } from "../graph/film.js";
import { part } from "../dom.js";
import { build, drawTrack } from "./controls.js";
import { icon } from "./icons.js";
import { brought, NAME, pointed, pressed } from "./hands.js";
import { countOf, partsOf, sceneAt, shownAt } from "./line.js";
import { lossAt, roundsOf } from "./rounds.js";
import { asked, chaptersOf, ended, known, lengthOf, lineOf, restsAt } from "./state.js";
import { beside, onStage, printed } from "./waiting.js";

/** @typedef {import("./state.js").Line} Line */
/** @typedef {import("./state.js").Data} Data */
/** @typedef {import("./state.js").State} State */

const PAUSE = 700; // ms per moment while playing, at speed 1
const LONG = 120, LEAST = 120; // moments above which playing is faster, and the least ms per moment
const ADDRESS = 500; // ms after the last step until the address follows: browsers bound how often it may change
const FILMED = -2; // as `scene`: none of the line's, but a round's
const STOPS = 300; // ms at one round after which the hand has stopped there

// The page's content at moment k (from 1; 0: the whole picture, at rest).
/** @param {State} state @returns {Stepped | null} */
function shown(state) {
  const { data, k } = state, ask = asked(state), line = lineOf(state);
  if (k === 0 || !line) return null;
  const found = shownAt(line, k);
  if (!data.predict) return found;
  const at = found.at ?? undefined;
  return { ...found, asked: ask ? [ask.at, ...ask.edges] : [], follow: false, begun: true, at, beside: null, out: null };
}

/** @param {State} state */
function say(state) {
  const detail = shown(state);
  picture(state, detail);
  document.dispatchEvent(new CustomEvent("explorer:step", { detail }));
  printed(detail);
  beside(detail);
}

// The picture with the moment, if it is not the server's own; null without one.
/** @param {State} state @param {Stepped | null} step */
function picture(state, step) {
  const line = lineOf(state), wanted = step && line ? sceneAt(line, state.k) : (line?.own ?? 0);
  const shown = state.scene ?? line?.own ?? 0;
  if (!line || wanted === shown || (!step && shown === FILMED)) return;
  state.scene = wanted;
  if (line.scenes.length < 2) return step && roundsOf(state.data.film)?.redraw();
  const detail = wanted < 0 ? null : { svg: partsOf(line, wanted), legend: "", sentence: "", beside: [], by: /** @type {const} */ ("player") };
  document.dispatchEvent(new CustomEvent("explorer:frame", { detail }));
  const legend = document.querySelector(".legendbar .legendbar");
  if (legend && wanted >= 0) legend.innerHTML = line.scenes[wanted].legend ?? ""; // made by the server
}

/** @param {string} text @param {Record<string, string | number>} values */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));

/** @param {State} state */
function show(state) {
  const { words, rest, predict } = state.data, { k, ui } = state, ask = asked(state), line = lineOf(state);
  ui.root.classList.toggle("is-on", k > 0);
  onStage(k > 0);
  ui.root.classList.toggle("is-stale", state.data.stale);
  const verdict = predict && k === predict.reached ? (predict.verdict ?? "") : "";
  ui.sentence.innerHTML = k === 0 || !line ? (state.roundSentence ?? rest) : ask ? ask.says : verdict + line.moments[k - 1].says; // escaped by the server
  ui.note.innerHTML = ask?.note ?? "";
  ui.note.hidden = !ask?.note;
  const count = lengthOf(state), step = filled(words.step, { step: k, count });
  const resting = k ? undefined : roundsOf(state.data.film), round = resting && resting.at >= 0 ? resting.words(resting.at) : null;
  ui.count.textContent = k ? step : (round?.step ?? (predict || line ? filled(words.ready, { count }) : ""));
  const loss = resting && round ? resting.lossTexts[resting.at] : k ? lossAt(chaptersOf(state), k) : "";
  ui.loss.textContent = [round?.rounds, loss].filter(Boolean).join(", ");
  ui.loss.title = resting?.thinned ?? "";
  track(state);
  const there = round && [round.step, ui.loss.textContent].join(", ");
  ui.track.setAttribute("aria-valuetext", k ? `${step}. ${ui.sentence.textContent}` : (there ?? words.end));
  const focused = document.activeElement;
  ui.guess.hidden = !ask;
  ui.box.checked = Boolean(predict);
  const playing = state.playing || Boolean(resting?.playing);
  ui.play.innerHTML = playing ? icon("pause") : icon("play") + (k === 0 ? `<span>${words.play}</span>` : "");
  ui.play.classList.toggle("is-named", !playing && k === 0);
  ui.play.setAttribute("aria-label", playing ? words.pause : words.play);
  ui.first.disabled = predict ? k === 0 : k === 1;
  ui.back.disabled = predict ? k === 0 : k === 1;
  ui.next.disabled = Boolean(predict) && ended(state);
  ui.last.disabled = predict ? ended(state) : k === 0;
  const gone = (focused === ui.field && !ask) || (focused === ui.next && ui.next.disabled);
  if (gone) (ui.next.disabled ? ui.back : ui.next).focus({ preventScroll: true }); // Enter continues from here
  say(state);
  address(state);
}

// Draws the line as a track. Of many rounds the one under the pointer opens, once it is released: marks must not move
// under a finger.
/** @param {State} state */
function track(state) {
  const { ui, k, data } = state, all = chaptersOf(state), rounds = roundsOf(data.film);
  const at = rounds && !k ? rounds.at : -1;
  const here = all.find((one) => (at >= 0 ? one.position === at : one.from <= k && k <= one.to))?.round ?? -1;
  drawTrack(ui.track, all, k, at, state.open, data.words);
  clearTimeout(state.opening);
  if (here === state.open) return;
  state.opening = setTimeout(() => {
    if (!ui.track.matches(":active")) state.open = here;
    track(state);
  }, STOPS);
}

// Puts the moment into the address for links and reloads; rest is written at once.
/** @param {State} state */
function address(state) {
  clearTimeout(state.written);
  if (state.data.predict || !state.data.addressed) return;
  state.written = setTimeout(() => {
    const url = new URL(location.href), now = url.searchParams.get(NAME);
    if ((now ?? "0") === String(state.next || state.k) || globalThis.explorerMoment) return;
    if (state.next || state.k) url.searchParams.set(NAME, String(state.next || state.k));
    else url.searchParams.delete(NAME);
    history.replaceState(history.state, "", url);
  }, state.next || state.k ? ADDRESS : 0);
}

// A new question: an empty field with focus, unless the user is typing a program.
/** @param {State} state */
function ask(state) {
  state.ui.field.value = "";
  if (document.activeElement?.nodeName !== "TEXTAREA") state.ui.field.focus({ preventScroll: true });
}

// Ask for the line, once.
/** @param {State} state */
function want(state) {
  if (lineOf(state) || state.wanted === state.data.key || !state.data.chapters.length) return;
  state.wanted = state.data.key;
  state.set("wanted", state.data.key);
}

// Goes to a moment; rest comes after the last one.
/** @param {State} state @param {number} k */
function go(state, k) {
  if (k) roundsOf(state.data.film)?.leave();
  if (k) state.roundSentence = undefined;
  if (!lineOf(state)) {
    state.next = Math.max(0, k);
    address(state);
    return state.next ? want(state) : undefined;
  }
  state.next = 0;
  const before = asked(state), last = known(state);
  state.k = state.data.predict ? Math.max(0, Math.min(last, k)) : k > last ? 0 : Math.max(0, k);
  show(state);
  if (asked(state) && !before) ask(state);
  schedule(state);
}

// Goes to a moment manually, which stops playing.
/** @param {State} state @param {number} k */
function jump(state, k) {
  state.playing = false;
  go(state, k);
}

// What the server is asked to do, once until it has answered.
/** @param {State} state @param {{ do: string, guess?: string }} act */
function send(state, act) {
  if (Date.now() - state.sent < 3000) return;
  state.sent = Date.now();
  state.set("act", { count: state.sent, ...act });
}

/** @param {State} state */
function onward(state) {
  if (!state.data.predict || state.k < known(state)) go(state, (state.next || state.k || restsAt(state)) + 1);
  else if (!ended(state)) send(state, { do: "next" });
}

// A step onward, drawn once.
/** @param {State} state */
function step(state) {
  const { k } = state;
  onward(state);
  if (state.k === k) show(state);
}

/** @param {State} state */
function schedule(state) {
  clearTimeout(state.timer);
  if (!state.playing || asked(state)) return;
  if (ended(state) || (state.k === 0 && !state.data.predict)) {
    state.playing = false;
    return show(state);
  }
  const pause = Math.max(LEAST, PAUSE * Math.min(1, LONG / lengthOf(state))) / state.speed;
  state.timer = setTimeout(() => onward(state), pause);
}

/** @param {State} state */
function toggle(state) {
  const rounds = state.k || state.next || state.playing ? undefined : roundsOf(state.data.film);
  if (rounds && (rounds.playing || restsAt(state))) return rounds.play(!rounds.playing); // round by round, from the current one
  state.playing = !state.playing;
  if (!state.playing) {
    clearTimeout(state.timer);
    return show(state);
  }
  if (asked(state)) return show(state);
  if (ended(state)) return go(state, 1);
  step(state);
}

/** @param {State} state */
function answer(state) {
  const guess = state.ui.field.value.trim();
  if (guess && asked(state)) send(state, { do: "guess", guess });
}

// A manual step; at an open question it shows the answer.
/** @param {State} state */
function forward(state) {
  state.playing = false;
  if (asked(state)) {
    send(state, { do: "next" });
    show(state);
  } else step(state);
}

// A manual step back: from rest, to the last moment.
/** @param {State} state */
function back(state) {
  const { k, data } = state;
  if (data.predict) return jump(state, k - 1);
  jump(state, k === 0 ? restsAt(state) || lengthOf(state) : Math.max(1, k - 1));
}

/** @param {State} state */
function last(state) {
  state.playing = false;
  if (state.data.predict) return send(state, { do: "all" });
  if (!state.k && !state.next) turn(state, Infinity);
  go(state, 0);
}

// At rest: goes to another round of the training; returns whether there are rounds.
/** @param {State} state @param {number} by */
function turn(state, by) {
  const rounds = state.k || state.next ? undefined : roundsOf(state.data.film);
  if (rounds) rounds.go(Math.min(rounds.numbers.length - 1, rounds.at + by));
  return Boolean(rounds);
}

/** @param {State} state @param {HTMLElement} root */
function buildAll(state, root) {
  for (const word of ["elsewhere", "choose"]) // in the sheets
    document.documentElement.style.setProperty(`--${word}`, JSON.stringify(state.data.words[word] ?? ""));
  state.ui = build(root, state.data.words, state.speed, {
    first: () => jump(state, state.data.predict ? 0 : 1),
    back: () => back(state),
    toggle: () => toggle(state),
    forward: () => forward(state),
    last: () => last(state),
    go: (k) => (state.data.predict && k > known(state) ? undefined : k !== (state.next || state.k) && jump(state, k)),
    round: (position) => {
      if (state.k || state.next) jump(state, 0);
      roundsOf(state.data.film)?.go(position, true);
    },
    release: () => roundsOf(state.data.film)?.release(),
    speed: (times) => (state.speed = times),
    predict: (on) => {
      state.playing = false;
      state.sent = 0;
      send(state, { do: on ? "on" : "off" });
    },
    answer: () => answer(state),
  });
  root.hidden = countOf(state.data.chapters) === 0 && !state.data.rest;
  root.classList.toggle("is-empty", countOf(state.data.chapters) === 0);
}

// The player as keys and clicks see it (hands.js).
/** @param {State} state @returns {import("./hands.js").Hand} */
const handOf = (state) => ({
  k: state.k, line: lineOf(state), chapters: chaptersOf(state), predicting: Boolean(state.data.predict),
  alone: Boolean(state.data.alone), idle: state.ui.root.hidden || !state.data.chapters.length,
  jump: (k) => jump(state, k), toggle: () => toggle(state), last: () => last(state), forward: () => forward(state),
  back: () => back(state), turn: (by) => turn(state, by), hide: () => state.data.words.predict && state.ui.box.click(),
  values: () => send(state, { do: "values" }),
});

// The position with new data: the server's, the same moment of the same line, or rest.
/** @param {State} state @param {Data | undefined} before */
function placed(state, before) {
  const predict = state.data.predict;
  if (!predict) return before && !before.predict && before.key === state.data.key ? Math.min(state.k, known(state)) : 0;
  if (before?.predict?.number !== predict.number) return predict.reached || predict.ask ? known(state) : 0;
  if (predict.reached !== before.predict.reached || predict.ask) return known(state);
  return Math.min(state.k, known(state));
}

// While a film moves, the sentence is its picture's; the player's own belongs to another one.
/** @param {State} state @param {Framed | null} framed */
function film(state, framed) {
  if (framed ? framed.by === "player" : state.scene === -1) return;
  state.scene = undefined;
  if (state.k || state.next) jump(state, 0);
  state.scene = FILMED;
  state.roundSentence = state.data.predict ? undefined : framed?.sentence; // escaped by the server
  show(state);
  state.shown = undefined; // show the server's next message in any case
}

// The line sent by the server separately from the player (reel.js).
/** @param {State} state */
async function take(state) {
  const { line } = globalThis.explorerReel ?? {};
  if (!line?.packed || line.key !== state.data.key || state.lineOf === line.key) return;
  const found = /** @type {Line} */ (await unpacked(line.packed));
  if (line.key !== state.data.key) return;
  Object.assign(state, { line: found, lineOf: line.key, scene: undefined });
  if (state.data.predict) return;
  if (state.next) go(state, state.next);
  else show(state);
}

// The page is left: the next one's editor and output show nothing of this run.
/** @param {State} state */
function ends(state) {
  clearTimeout(state.timer);
  Object.assign(state, { k: 0, next: 0, playing: false });
  document.dispatchEvent(new CustomEvent("explorer:step", { detail: null }));
  printed(null);
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement, setStateValue }) {
  const root = /** @type {HTMLElement & { explorer?: State }} */ (part(parentElement, ".player"));
  const state = (root.explorer ??= /** @type {State} */ ({ k: 0, speed: 1, playing: false, sent: 0, next: 0, open: -1 }));
  state.set = setStateValue;
  state.sent = 0;
  const json = JSON.stringify(data);
  if (state.shown !== json) {
    clearTimeout(state.timer);
    const before = /** @type {Data | undefined} */ (state.data), asking = before && asked(state);
    Object.assign(state, { shown: json, data, roundSentence: undefined });
    const same = before?.key === data.key && !before.predict === !data.predict;
    state.k = placed(state, before);
    state.next = same || state.next === 1 ? state.next : 0; // a user at the beginning stays there in the new line
    state.playing = state.playing && (same || Boolean(before?.predict && data.predict));
    const built = JSON.stringify([data.words, countOf(data.chapters) > 0, !data.rest]);
    if (state.built !== built) buildAll(state, root);
    state.built = built;
    if (!same && !state.next && !data.predict && !data.stale && data.addressed) state.next = brought();
    show(state);
    const open = asked(state);
    if (open && (open.says !== asking?.says || !asking)) ask(state);
    else if (open) state.ui.field.select();
    schedule(state);
  }
  void take(state);
  if ((state.next && !data.predict) || root.matches(":hover, :focus-within")) want(state);
  const key = (/** @type {KeyboardEvent} */ event) => pressed(handOf(state), event);
  const click = (/** @type {MouseEvent} */ event) => pointed(handOf(state), event);
  const near = () => {
    want(state);
    roundsOf(state.data.film)?.want();
  };
  const drawn = () => {
    state.scene = state.roundSentence = undefined; // the server's own picture is shown
    show(state);
  };
  const inspector = document.querySelector(".st-key-inspector");
  const redrawn = new MutationObserver(() => beside(shown(state))); // another card
  if (inspector) redrawn.observe(inspector, { childList: true, subtree: true });
  const left = new AbortController(), { signal } = left;
  for (const event of ["pointerenter", "focusin"]) root.addEventListener(event, near, { signal });
  document.addEventListener("keydown", key, { signal, capture: true }); // before the cards
  document.addEventListener("click", click, { signal });
  document.addEventListener("explorer:frame", ({ detail }) => film(state, detail), { signal });
  document.addEventListener("explorer:drawn", drawn, { signal });
  document.addEventListener("explorer:reel", () => void take(state), { signal });
  document.addEventListener("explorer:rounds", () => state.k || show(state), { signal });
  return (ended) => {
    clearTimeout(state.opening);
    if (ended) ends(state);
    document.documentElement.removeAttribute("data-playing");
    redrawn.disconnect();
    left.abort();
  };
}
