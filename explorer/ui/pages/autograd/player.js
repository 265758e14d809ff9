// The backward player: walks through the steps that the server told once, when a hand came near. It only says on
// `document` what a step shows (explorer:step); the graph draws it.

import { part } from "../../../drawing/dom.js";

/** @typedef {{ card: string, wires: string[], arrived: string[], says: string, leaf: boolean }} Step */
/** @typedef {{ says: string, note: string, card: string, wires: string[], at: string }} Question */
/** @typedef {{ number: number, reached: number, ask: Question | null, verdict?: string }} Predict */
/**
 * What the server sends (player.py); says, rest, note and verdict are HTML. `told`: whether the steps are more than how
 * many there are and which store into a leaf; `key`: which steps; `ahead`: whether they are asked for before a hand comes near.
 * @typedef {{ steps: Step[], start: string[], cards: string[], rest: string, words: Record<string, string>,
 *   stale: boolean, predict: Predict | null, told?: boolean, key: string, ahead?: boolean }} Data
 */
/**
 * @typedef {{ root: HTMLElement, first: HTMLButtonElement, back: HTMLButtonElement, play: HTMLButtonElement,
 *   next: HTMLButtonElement, last: HTMLButtonElement, track: HTMLElement, count: HTMLElement, box: HTMLInputElement,
 *   sentence: HTMLElement, note: HTMLElement, guess: HTMLFormElement, field: HTMLInputElement }} Parts
 */
/**
 * `k`: the step shown, from 1; 0: the whole picture. `sent`: when the server was asked last. `wanted`: the steps that it
 * was asked for; `next`: the one to go to when they come.
 * @typedef {{ k: number, speed: number, playing: boolean, sent: number, data: Data, ui: Parts, shown?: string,
 *   built?: string, timer?: number, wanted?: string, next: number, soon?: number, set(name: string, value: unknown): void }} State
 */

const PAUSE = 1700, LEAF = 1000; // ms that a step stands while playing, at speed 1
const AHEAD = 1500; // ms without another picture after which steps are asked for where nobody else waits for the server
const SPEEDS = [0.5, 1, 2, 4];
const ICONS = {
  first: "M2 2h2v10H2zM13 2v10L5 7z",
  back: "M11 2v10L4 7z",
  play: "M3 1.5v11L12.5 7z",
  pause: "M3 2h3v10H3zM8 2h3v10H8z",
  next: "M3 2v10l7-5z",
  last: "M10 2h2v10h-2zM1 2v10l8-5z",
};

/** @param {keyof typeof ICONS} name */
const icon = (name) => `<svg viewBox="0 0 14 14" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;

/** @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {string} name @param {Partial<HTMLElementTagNameMap[Tag]>} [props] */
function element(tag, name, props = {}) {
  return Object.assign(document.createElement(tag), { className: name, ...props });
}

// The question that is open at the step shown, null when there is none. While Predict is on the server has the further
// steps, and the answers.
/** @param {State} state */
const asked = (state) => {
  const predict = state.data.predict;
  return predict?.ask && state.k > predict.reached ? predict.ask : null;
};

// Whether the server has not told the steps yet.
/** @param {State} state */
const untold = ({ data }) => !data.predict && !data.told;

// How far one can go without asking the server.
/** @param {State} state */
const known = (state) => {
  const predict = state.data.predict;
  if (untold(state)) return 0;
  return predict ? predict.reached + (predict.ask ? 1 : 0) : state.data.steps.length;
};

/** @param {State} state */
const ended = (state) => state.k >= known(state) && known(state) >= state.data.steps.length && !asked(state);

// What the graph is to show at step k (from 1; 0: the whole picture, at rest).
/** @param {State} state @returns {Stepped | null} */
function shownAt(state) {
  const { steps, start, cards } = state.data, { k } = state, ask = asked(state);
  if (k === 0) return null;
  const past = steps.slice(0, k - 1), now = ask ? { card: ask.card, wires: [], arrived: [] } : steps[k - 1];
  const have = new Set([...start, ...past.flatMap((one) => one.arrived), ...now.arrived]);
  return {
    card: now.card,
    wires: now.wires,
    past: past.flatMap((one) => one.wires),
    waiting: cards.filter((id) => !have.has(id)),
    asked: ask ? [ask.at, ...ask.wires] : [],
    follow: !state.data.predict,
  };
}

/** @param {State} state */
const say = (state) => document.dispatchEvent(new CustomEvent("explorer:step", { detail: shownAt(state) }));

/** @param {string} text @param {Record<string, string | number>} values */
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));

/** @param {State} state */
function show(state) {
  const { steps, words, rest, predict } = state.data, { k, ui } = state, ask = asked(state);
  ui.root.classList.toggle("is-on", k > 0);
  ui.root.classList.toggle("is-stale", state.data.stale);
  const verdict = predict && k === predict.reached ? (predict.verdict ?? "") : "";
  ui.sentence.innerHTML = k === 0 ? rest : ask ? ask.says : verdict + steps[k - 1].says; // escaped by the server
  ui.note.innerHTML = ask?.note ?? "";
  ui.note.hidden = !ask?.note;
  ui.count.textContent = k === 0 ? words.ready : filled(words.step, { step: k });
  [.../** @type {NodeListOf<HTMLButtonElement>} */ (ui.track.querySelectorAll("button"))].forEach((segment, i) => {
    segment.classList.toggle("done", i < k - 1);
    segment.classList.toggle("now", i === k - 1);
    segment.setAttribute("aria-current", i === k - 1 ? "step" : "false");
    segment.disabled = !untold(state) && i >= known(state);
  });
  ui.guess.hidden = !ask;
  ui.box.checked = Boolean(predict);
  ui.play.innerHTML = state.playing ? icon("pause") : icon("play") + (k === 0 ? `<span>${words.play}</span>` : "");
  ui.play.setAttribute("aria-label", state.playing ? words.pause : words.play);
  ui.first.disabled = ui.back.disabled = k === 0;
  ui.next.disabled = ui.last.disabled = ended(state);
  say(state);
}

// A question that has just come: an empty field, and the cursor in it unless somebody types a program.
/** @param {State} state */
function ask(state) {
  state.ui.field.value = "";
  if (document.activeElement?.nodeName !== "TEXTAREA") state.ui.field.focus({ preventScroll: true });
}

// Ask for the steps, once.
/** @param {State} state */
function want(state) {
  if (!untold(state) || state.wanted === state.data.key) return;
  state.wanted = state.data.key;
  state.set("wanted", state.data.key);
}

/** @param {State} state @param {number} k */
function go(state, k) {
  state.next = untold(state) ? Math.max(0, k) : 0;
  if (state.next > 0) return want(state);
  const before = asked(state);
  state.k = Math.max(0, Math.min(known(state), k));
  show(state);
  if (asked(state) && !before) ask(state);
  schedule(state);
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
  if (state.k < known(state) || untold(state)) go(state, (state.next || state.k) + 1);
  else if (!ended(state)) send(state, { do: "next" });
}

/** @param {State} state */
function schedule(state) {
  clearTimeout(state.timer);
  if (!state.playing || asked(state)) return;
  if (ended(state)) {
    state.playing = false;
    return show(state);
  }
  const pause = (state.data.steps[state.k - 1]?.leaf ? LEAF : PAUSE) / state.speed;
  state.timer = setTimeout(() => onward(state), pause);
}

/** @param {State} state */
function toggle(state) {
  state.playing = !state.playing;
  if (!state.playing) {
    clearTimeout(state.timer);
    return show(state);
  }
  if (asked(state)) return show(state);
  if (ended(state)) return go(state, 1);
  onward(state);
  show(state);
}

/** @param {State} state */
function answer(state) {
  const guess = state.ui.field.value.trim();
  if (guess && asked(state)) send(state, { do: "guess", guess });
}

/** @param {HTMLElement} root @param {State} state */
function build(root, state) {
  const words = state.data.words;
  /** @param {keyof typeof ICONS} name @param {string} label @param {() => void} act @param {string} [extra] */
  const button = (name, label, act, extra = "") => {
    const made = element("button", extra, { type: "button", title: label, innerHTML: icon(name), onclick: act });
    made.setAttribute("aria-label", label);
    return made;
  };
  const stop = (/** @type {() => number} */ k) => () => {
    state.playing = false;
    go(state, k());
  };
  const ui = /** @type {Parts} */ ({ root });
  ui.first = button("first", words.first, stop(() => 0));
  ui.back = button("back", words.back, stop(() => state.k - 1));
  ui.play = button("play", words.play, () => toggle(state), "go");
  ui.next = button("next", words.next, () => forward(state));
  ui.last = button("last", words.last, () => {
    state.playing = false;
    if (state.data.predict) send(state, { do: "all" });
    else go(state, state.data.steps.length);
  });
  const controls = element("div", "ctl");
  controls.append(ui.first, ui.back, ui.play, ui.next, ui.last);
  ui.track = element("div", "track");
  ui.track.append(
    ...state.data.steps.map((one, i) => {
      const label = filled(words.step, { step: i + 1 });
      const made = element("button", one.leaf ? "leaf" : "", { type: "button", tabIndex: -1, title: label });
      made.setAttribute("aria-label", label);
      made.onclick = stop(() => i + 1);
      return made;
    }),
  );
  ui.count = element("span", "stepno");
  const speed = element("select", "speed", { title: words.speed });
  speed.setAttribute("aria-label", words.speed);
  for (const one of SPEEDS) speed.append(element("option", "", { value: String(one), textContent: `${one}×`, selected: one === state.speed }));
  speed.onchange = () => (state.speed = Number(speed.value));
  const predict = element("label", "toggle");
  ui.box = element("input", "", { type: "checkbox" });
  ui.box.onchange = () => {
    state.playing = false;
    state.sent = 0;
    send(state, { do: ui.box.checked ? "on" : "off" });
  };
  predict.append(ui.box, words.predict);
  const more = element("div", "more");
  more.append(ui.count, speed, predict);
  ui.sentence = element("p", "sentence");
  ui.sentence.setAttribute("aria-live", "polite");
  ui.guess = element("form", "guess", { hidden: true });
  ui.field = element("input", "", { type: "text", inputMode: "text", autocomplete: "off", maxLength: 60, spellcheck: false });
  ui.field.setAttribute("aria-label", words.answer);
  ui.note = element("p", "reply", { hidden: true });
  ui.note.setAttribute("aria-live", "polite");
  ui.guess.append(ui.field, element("button", "", { type: "submit", textContent: words.check }));
  ui.guess.onsubmit = (event) => {
    event.preventDefault();
    answer(state);
  };
  const told = element("div", "told-now"), saying = element("div", "saying");
  told.append(ui.sentence, ui.note);
  saying.append(told, ui.guess);
  root.replaceChildren(controls, ui.track, more, saying);
  root.hidden = state.data.steps.length === 0 && !state.data.rest;
  root.classList.toggle("is-empty", state.data.steps.length === 0);
  root.setAttribute("aria-label", words.player);
  state.ui = ui;
}

// A step by hand; past an open question it shows the answer.
/** @param {State} state */
function forward(state) {
  state.playing = false;
  if (asked(state)) send(state, { do: "next" });
  else onward(state);
  show(state);
}

// Left and right step and H hides or shows all gradients, unless somebody writes or walks over the cards.
/** @param {State} state @param {KeyboardEvent} event */
function pressed(state, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = /** @type {HTMLElement} */ (event.target);
  if (target.closest?.("input, textarea, select, [contenteditable], [role='slider'], [role='radiogroup']")) return;
  if (event.key === "h" || event.key === "H") return state.ui.box.click();
  const large = "present" in document.documentElement.dataset; // then also by what a clicker sends
  const on = ["ArrowRight", ...(large ? [" ", "PageDown"] : [])], back = ["ArrowLeft", ...(large ? ["PageUp"] : [])];
  if (![...on, ...back].includes(event.key) || (!large && target.closest?.("g.node"))) return;
  if (event.key === " " && target.closest?.("button")) return; // it presses that
  event.preventDefault();
  if (large) event.stopImmediatePropagation();
  if (on.includes(event.key)) return forward(state);
  state.playing = false;
  go(state, state.k - 1);
}

// Where a player stands with new data: where the server has come to, or at rest with another picture.
/** @param {State} state @param {Data | undefined} before */
function placed(state, before) {
  const predict = state.data.predict;
  if (!predict || before?.predict?.number !== predict.number) return predict && (predict.reached || predict.ask) ? known(state) : 0;
  if (predict.reached !== before.predict.reached || predict.ask) return known(state);
  return Math.min(state.k, known(state));
}

// While a time line moves, the sentence is that of its picture; what the player knows is of another one.
/** @param {State} state @param {Framed | null} framed */
function film(state, framed) {
  if (state.k || state.next) {
    state.playing = false;
    go(state, 0);
  }
  if (framed && !state.data.predict) state.ui.sentence.innerHTML = framed.sentence; // escaped by the server
  state.shown = undefined; // the server's next message stands there whatever it says
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement, setStateValue }) {
  const root = /** @type {HTMLElement & { explorer?: State }} */ (part(parentElement, ".player"));
  const state = (root.explorer ??= /** @type {State} */ ({ k: 0, speed: 1, playing: false, sent: 0, next: 0 }));
  state.set = setStateValue;
  state.sent = 0;
  const shown = JSON.stringify(data);
  if (state.shown !== shown) {
    clearTimeout(state.timer);
    const before = /** @type {Data | undefined} */ (state.data), asking = before && asked(state);
    Object.assign(state, { shown, data });
    state.k = placed(state, before);
    const came = Boolean(before && !before.told && data.told && before.key === data.key), next = came ? state.next : 0;
    state.next = 0;
    state.playing = state.playing && (came || Boolean(before?.predict && data.predict));
    const built = JSON.stringify([data.words, data.steps.map((one) => one.leaf), !data.rest]);
    if (state.built !== built) build(root, state);
    state.built = built;
    show(state);
    const open = asked(state);
    if (open && (open.says !== asking?.says || !asking)) ask(state);
    else if (open) state.ui.field.select();
    if (next) go(state, next);
    else schedule(state);
  }
  if (data.ahead) state.soon = setTimeout(() => want(state), AHEAD);
  const key = (/** @type {KeyboardEvent} */ event) => pressed(state, event);
  const near = () => want(state);
  const drawn = () => say(state);
  const framed = (/** @type {DocumentEventMap["explorer:frame"]} */ { detail }) => film(state, detail);
  for (const event of ["pointerenter", "focusin"]) root.addEventListener(event, near);
  document.addEventListener("keydown", key, true); // before the cards
  document.addEventListener("explorer:frame", framed);
  document.addEventListener("explorer:drawn", drawn);
  return () => {
    clearTimeout(state.soon);
    for (const event of ["pointerenter", "focusin"]) root.removeEventListener(event, near);
    document.removeEventListener("keydown", key, true);
    document.removeEventListener("explorer:frame", framed);
    document.removeEventListener("explorer:drawn", drawn);
  };
}
