// The backward player: walks through the steps that the server told once. It only says on `document` what a step shows
// (explorer:step); the graph draws it.

const PAUSE = 1700, LEAF = 1000; // ms that a step stands while playing, at speed 1
const SPEEDS = [0.5, 1, 2, 4];
const ICONS = {
  first: "M2 2h2v10H2zM13 2v10L5 7z",
  back: "M11 2v10L4 7z",
  play: "M3 1.5v11L12.5 7z",
  pause: "M3 2h3v10H3zM8 2h3v10H8z",
  next: "M3 2v10l7-5z",
  last: "M10 2h2v10h-2zM1 2v10l8-5z",
};

const icon = (name) => `<svg viewBox="0 0 14 14" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;

function element(tag, name, props = {}) {
  return Object.assign(document.createElement(tag), { className: name, ...props });
}

// What the graph is to show at step k (from 1; 0: the whole picture, at rest).
function shownAt(state, k, asking) {
  if (k === 0) return null;
  const { steps, start, cards } = state.data;
  const past = steps.slice(0, k - 1), now = steps[k - 1];
  const have = new Set([...start, ...past.flatMap((one) => one.arrived), ...(asking ? [] : now.arrived)]);
  return {
    card: now.card,
    wires: asking ? [] : now.wires,
    past: past.flatMap((one) => one.wires),
    waiting: cards.filter((id) => !have.has(id)),
    follow: !asking && !state.predict,
  };
}

// While a guess is asked for, what would give it away elsewhere on the page is hidden.
const hide = (asking) => document.documentElement.classList.toggle("is-asking", asking);

function say(state) {
  hide(state.asking);
  document.dispatchEvent(new CustomEvent("explorer:step", { detail: shownAt(state, state.k, state.asking) }));
}

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);

function show(state) {
  const { steps, words, rest } = state.data, { k, ui } = state;
  const now = steps[k - 1];
  ui.root.classList.toggle("is-on", k > 0);
  ui.root.classList.toggle("is-stale", state.data.stale);
  ui.sentence.innerHTML = k === 0 ? rest : state.asking ? now.ask.says : (state.verdict ?? "") + now.says; // escaped by the server
  ui.count.textContent = k === 0 ? words.ready : filled(words.step, { step: k });
  [...ui.track.children].forEach((segment, i) => {
    segment.classList.toggle("done", i < k - 1);
    segment.classList.toggle("now", i === k - 1);
    segment.setAttribute("aria-current", i === k - 1 ? "step" : "false");
  });
  ui.guess.hidden = !state.asking;
  if (state.asking) {
    ui.field.value = "";
    if (document.activeElement?.nodeName !== "TEXTAREA") ui.field.focus({ preventScroll: true }); // nobody types a program
  }
  ui.play.innerHTML = state.playing ? icon("pause") : icon("play") + (k === 0 ? `<span>${words.play}</span>` : "");
  ui.play.setAttribute("aria-label", state.playing ? words.pause : words.play);
  ui.first.disabled = ui.back.disabled = k === 0;
  ui.next.disabled = ui.last.disabled = k === steps.length && !state.asking;
  say(state);
}

function go(state, k, jumped = false) {
  const steps = state.data.steps;
  state.verdict = null;
  state.asking = false;
  const to = Math.max(0, Math.min(steps.length, k));
  state.asking = state.predict && !jumped && to > state.k && Boolean(steps[to - 1]?.ask);
  state.k = to;
  show(state);
  schedule(state);
}

function schedule(state) {
  clearTimeout(state.timer);
  if (!state.playing || state.asking) return;
  if (state.k >= state.data.steps.length) {
    state.playing = false;
    return show(state);
  }
  const pause = (state.data.steps[state.k - 1]?.leaf ? LEAF : PAUSE) / state.speed;
  state.timer = setTimeout(() => go(state, state.k + 1), pause);
}

function toggle(state) {
  state.playing = !state.playing;
  if (!state.playing) {
    clearTimeout(state.timer);
    return show(state);
  }
  if (state.asking) return show(state);
  go(state, state.k >= state.data.steps.length ? 1 : state.k + 1);
}

function answer(state) {
  if (!state.asking) return;
  const { ask } = state.data.steps[state.k - 1], { words } = state.data;
  const text = state.ui.field.value.trim();
  const guess = Number(text.replace("−", "-").replace(",", "."));
  if (!text) return;
  const right = Math.abs(guess - ask.answer) <= 0.005 * Math.max(1e-6, Math.abs(ask.answer));
  const said = element("b", right ? "right" : "wrong", {
    textContent: filled(right ? words.right : words.wrong, { answer: ask.shown, guess: text }),
  });
  state.asking = false;
  state.verdict = `${said.outerHTML} `;
  show(state);
  schedule(state);
}

function build(root, state) {
  const words = state.data.words;
  const button = (name, label, act, extra = "") => {
    const made = element("button", extra, { type: "button", title: label, innerHTML: icon(name), onclick: act });
    made.setAttribute("aria-label", label);
    return made;
  };
  const stop = (k) => () => {
    state.playing = false;
    go(state, k(), true);
  };
  const ui = { root };
  ui.first = button("first", words.first, stop(() => 0));
  ui.back = button("back", words.back, stop(() => state.k - 1));
  ui.play = button("play", words.play, () => toggle(state), "go");
  ui.next = button("next", words.next, () => forward(state));
  ui.last = button("last", words.last, stop(() => state.data.steps.length));
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
  for (const one of SPEEDS) speed.append(element("option", "", { value: one, textContent: `${one}×`, selected: one === state.speed }));
  speed.onchange = () => (state.speed = Number(speed.value));
  const predict = element("label", "toggle");
  const box = element("input", "", { type: "checkbox", checked: state.predict });
  box.onchange = () => (state.predict = box.checked);
  predict.append(box, words.predict);
  const more = element("div", "more");
  more.append(ui.count, speed, predict);
  ui.sentence = element("p", "sentence");
  ui.sentence.setAttribute("aria-live", "polite");
  ui.guess = element("form", "guess", { hidden: true });
  ui.field = element("input", "", { type: "text", inputMode: "decimal", autocomplete: "off" });
  ui.field.setAttribute("aria-label", words.predict);
  ui.guess.append(ui.field, element("button", "", { type: "submit", textContent: words.check }));
  ui.guess.onsubmit = (event) => {
    event.preventDefault();
    answer(state);
  };
  const told = element("div", "saying");
  told.append(ui.sentence, ui.guess);
  root.replaceChildren(controls, ui.track, more, told);
  root.hidden = state.data.steps.length === 0 && !state.data.rest;
  root.classList.toggle("is-empty", state.data.steps.length === 0);
  root.setAttribute("aria-label", words.player);
  state.ui = ui;
}

function forward(state) {
  state.playing = false;
  if (state.asking) state.asking = false; // shown without a guess
  else return go(state, state.k + 1);
  show(state);
}

// Left and right step, unless somebody writes or walks over the cards.
function pressed(state, event) {
  if (!["ArrowLeft", "ArrowRight"].includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target;
  if (target.closest?.("input, textarea, select, g.node, [contenteditable], [role='slider'], [role='radiogroup']")) return;
  event.preventDefault();
  if (event.key === "ArrowRight") return forward(state);
  state.playing = false;
  go(state, state.k - 1, true);
}

function mount({ data, parentElement }) {
  const root = parentElement.querySelector(".player");
  const state = (root.explorer ??= { k: 0, speed: 1, predict: false, playing: false, asking: false });
  const shown = JSON.stringify(data);
  if (state.shown !== shown) {
    clearTimeout(state.timer);
    Object.assign(state, { shown, data, k: 0, playing: false, asking: false, verdict: null });
    const built = JSON.stringify([data.words, data.steps.map((one) => one.leaf), !data.rest]);
    if (state.built !== built) build(root, state);
    state.built = built;
    show(state);
  }
  const key = (event) => pressed(state, event);
  const drawn = () => say(state);
  document.addEventListener("keydown", key);
  document.addEventListener("explorer:drawn", drawn);
  return (ended) => {
    if (ended) hide(false);
    document.removeEventListener("keydown", key);
    document.removeEventListener("explorer:drawn", drawn);
  };
}
