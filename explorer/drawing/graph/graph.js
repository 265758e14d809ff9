// The picture of a graph: puts the server's SVG into the page; pan, zoom, search, hover, choice, and the player's marks.
// Classes on cards and wires change here; positions never do.
// On `document`: explorer:point says what is pointed at, here and in the editor; explorer:step what the player shows.

import { part, targetOf } from "../dom.js";
import { apply, byId, cards, fit, look, measure, opening, resized, reveal, zoom } from "./room.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Data} Data */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Roots} Roots */

const STEP = 1.25; // one press of a zoom button
const FOLLOW = 120; // ms after a step of the player before the inspector follows

/** @param {SVGElement | null | undefined} card */
const spanOf = (card) => /** @type {CellSpan | undefined} */ (card?.dataset.span?.split(",").map(Number));

/** @param {SVGElement} card */
const idOf = (card) => card.dataset.id ?? "";

// All copies of one leaf are one thing.
/** @param {State} state @param {SVGElement} card */
const same = (state, card) =>
  [...cards(state)].filter(
    (one) => one === card || (card.classList.contains("leaf") && one.dataset.tensors === card.dataset.tensors),
  );

// `again`: it was chosen before, and only stands elsewhere now.
/** @param {SVGElement | null | undefined} card @param {Pointed["kind"]} kind @param {boolean} [again] */
function tell(card, kind, again = false) {
  const span = spanOf(card);
  document.dispatchEvent(
    new CustomEvent("explorer:point", { detail: { spans: span ? [span] : [], source: "graph", kind, again } }),
  );
}

/** @param {State} state @param {SVGElement | null | undefined} card */
function hover(state, card) {
  for (const one of state.svg.querySelectorAll(".is-hovered")) one.classList.remove("is-hovered");
  if (card) for (const one of same(state, card)) one.classList.add("is-hovered");
}

/** @param {CellSpan} a @param {CellSpan} b */
function inside(a, b) {
  const starts = a[1] > b[1] || (a[1] === b[1] && a[2] >= b[2]);
  const ends = a[3] < b[3] || (a[3] === b[3] && a[4] <= b[4]);
  return a[0] === b[0] && starts && ends;
}

/** @param {State} state @param {CellSpan[]} spans */
function light(state, spans) {
  for (const card of cards(state)) {
    const span = spanOf(card);
    card.classList.toggle("is-hovered", Boolean(span && spans.some((other) => inside(span, other))));
  }
}

/** @param {State} state @param {string | null} id */
function choose(state, id) {
  state.selected = id;
  const chosen = id ? byId(state, id) : undefined;
  const all = new Set(chosen ? same(state, chosen) : []);
  for (const card of cards(state)) {
    card.classList.toggle("is-selected", all.has(card));
    card.setAttribute("aria-pressed", String(card.dataset.id === id));
  }
  for (const wire of state.svg.querySelectorAll(".contribution")) {
    const ends = wire.dataset.id?.split("-") ?? [];
    wire.classList.toggle("is-on", [...all].some((card) => ends.includes(idOf(card))));
  }
}

// The player's step: what is lit, what carries a gradient now, what waits for its own.
/** @param {State} state @param {Stepped | null} shown */
function step(state, shown) {
  state.step = shown;
  state.svg.classList.toggle("is-stepping", Boolean(shown));
  const waiting = new Set(shown?.waiting), now = new Set(shown?.wires), past = new Set(shown?.past);
  const asked = new Set(shown?.asked);
  for (const card of cards(state)) {
    card.classList.toggle("is-now", card.dataset.id === shown?.card);
    card.classList.toggle("is-pending", waiting.has(idOf(card)));
    card.classList.toggle("is-asked", asked.has(idOf(card)));
  }
  /** @type {NodeListOf<SVGElement>} */
  const wires = state.svg.querySelectorAll(".edge, .contribution");
  for (const wire of wires) {
    wire.classList.toggle("is-now", now.has(idOf(wire)));
    wire.classList.toggle("is-past", past.has(idOf(wire)));
    wire.classList.toggle("is-asked", asked.has(idOf(wire)));
  }
  const card = shown && byId(state, shown.card);
  if (card) reveal(state, card);
}

/** @param {State} state @param {string} words */
function search(state, words) {
  const wanted = words.trim().toLowerCase();
  state.found = [];
  for (const card of cards(state)) {
    const hit = !wanted || card.getAttribute("aria-label")?.toLowerCase().includes(wanted);
    card.classList.toggle("is-dimmed", !hit);
    if (hit && wanted) state.found.push(card);
  }
}

// The next card in a direction: up and down along a wire, sideways the nearest on that side.
/** @param {State} state @param {SVGElement} card @param {string} key */
function neighbour(state, card, key) {
  const id = card.dataset.id;
  const [mine, other] = key === "ArrowUp" ? ["target", "source"] : ["source", "target"];
  if (key === "ArrowUp" || key === "ArrowDown") {
    const wire = [...state.svg.querySelectorAll(".edge")].find((one) => one.dataset[mine] === id);
    return wire && byId(state, wire.dataset[other]);
  }
  const middle = (/** @type {Element} */ one) => {
    const box = one.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const [x, y] = middle(card), side = key === "ArrowLeft" ? -1 : 1;
  const away = (/** @type {Element} */ one) => {
    const [ox, oy] = middle(one);
    return (ox - x) * side > 4 ? Math.hypot(ox - x, 3 * (oy - y)) : Infinity;
  };
  return [...cards(state)].filter((one) => away(one) < Infinity).sort((a, b) => away(a) - away(b))[0];
}

/** @param {string} text @param {string} label @param {() => void} act @param {string} [name] */
function button(text, label, act, name = "") {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", textContent: text, title: label, onclick: act, className: name });
  made.setAttribute("aria-label", label);
  return made;
}

/** @param {State} state @param {Record<string, string>} words */
function searchField(state, words) {
  const field = document.createElement("input");
  Object.assign(field, { type: "search", className: "search", placeholder: words.search, hidden: true });
  field.setAttribute("aria-label", words.search);
  state.unfound = () => {
    field.value = "";
    field.hidden = true;
    search(state, "");
  };
  field.oninput = () => search(state, field.value);
  field.onkeydown = (event) => {
    event.stopPropagation();
    if (event.key === "Escape") {
      state.unfound();
      part(state.stage, ".find").focus();
    }
    if (event.key === "Enter" && state.found.length) {
      const card = state.found[(state.found.findIndex((one) => one.dataset.id === state.selected) + 1) % state.found.length];
      state.pick(idOf(card));
      reveal(state, card);
    }
  };
  return field;
}

// Whose gradient is shown: what the program asks for, or another output with a starting gradient of one's own.
/** @param {State} state @param {string} heading @param {Roots} roots */
function rootMenu(state, heading, roots) {
  const { words } = roots;
  const menu = document.createElement("details");
  menu.className = "roots";
  const title = document.createElement("summary");
  title.innerHTML = heading; // escaped by the server
  title.title = words.menu;
  const panel = document.createElement("form");
  const pick = document.createElement("select");
  pick.append(new Option(words.own, ""), ...roots.names.map(([name, shape]) => new Option(`${name}  ${shape}`, name)));
  pick.value = roots.of;
  const start = document.createElement("input");
  Object.assign(start, { type: "text", value: roots.start, placeholder: "1", spellcheck: false, autocomplete: "off" });
  const named = (/** @type {string} */ words, /** @type {HTMLElement} */ field) => {
    const label = document.createElement("label");
    label.append(words, field);
    return label;
  };
  const second = named(words.start, start), hint = document.createElement("p"), go = document.createElement("button");
  const follow = () => {
    const shape = roots.names.find(([name]) => name === pick.value)?.[1];
    second.hidden = hint.hidden = !pick.value;
    hint.textContent = shape ? `${words.many} ${shape}` : words.one;
  };
  pick.onchange = follow;
  follow();
  Object.assign(go, { type: "submit", textContent: words.show });
  panel.append(named(words.of, pick), second, hint, go);
  panel.onsubmit = (event) => {
    event.preventDefault();
    menu.open = false;
    state.set("root", { of: pick.value, start: pick.value ? start.value : "" });
  };
  menu.onkeydown = (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    title.focus();
    event.stopPropagation();
  };
  menu.append(title, panel);
  return menu;
}

/** @param {State} state @param {Data} data */
function toolbar(state, data) {
  const words = data.words;
  const tools = document.createElement("div");
  tools.className = "zoom";
  tools.append(
    button("+", words.bigger, () => zoom(state, STEP)),
    button("−", words.smaller, () => zoom(state, 1 / STEP)),
    button("⤢", words.fit, () => fit(state, true)),
  );
  const field = searchField(state, words);
  const opened = () => (field.hidden ? ((field.hidden = false), field.focus()) : state.unfound());
  if (words.turn) {
    /** @type {View} */
    const turned = { direction: data.view.direction === "TB" ? "LR" : "TB", fold: data.view.fold };
    tools.append(button("⇄", words.turn, () => state.ask(turned), "turn"));
  }
  tools.append(button("⌕", words.search, opened, "find"));
  const bar = document.createElement("div");
  bar.className = "bar graph-bar";
  const title = document.createElement("h2");
  if (data.roots?.names.length) title.append(rootMenu(state, data.title, data.roots));
  else title.innerHTML = data.title; // escaped by the server
  bar.append(title);
  if (data.foldable) {
    const other = { direction: data.view.direction, fold: !data.view.fold };
    const label = data.view.fold ? words.unfold : words.foldUp;
    bar.append(button(label, label, () => state.ask(other), "quiet-button"));
  }
  const label = document.createElement("label");
  label.className = "toggle";
  const box = document.createElement("input");
  Object.assign(box, { type: "checkbox", checked: state.contributions });
  box.onchange = () => {
    state.contributions = box.checked;
    state.svg.classList.toggle("show-contributions", box.checked);
  };
  label.append(box, words.contributions);
  state.more = button("", words.fit, () => fit(state, true), "more-cards");
  state.more.removeAttribute("aria-label"); // it says its own words
  bar.append(label, tools, state.more, field);
  return bar;
}

// Dragging the ground moves the picture; a press that hardly moved is a click.
/** @param {HTMLElement} scroller */
function pan(scroller) {
  /** @type {{ x: number, y: number, left: number, top: number } | null} */
  let from = null;
  scroller.addEventListener("pointerdown", (event) => {
    if (event.button === 0 && event.pointerType === "mouse" && !targetOf(event).closest("g.node"))
      from = { x: event.clientX, y: event.clientY, left: scroller.scrollLeft, top: scroller.scrollTop };
  });
  scroller.addEventListener("pointermove", (event) => {
    if (!from) return;
    if (event.buttons === 0) return void (from = null);
    scroller.classList.add("is-panning");
    scroller.scrollLeft = from.left + from.x - event.clientX;
    scroller.scrollTop = from.top + from.y - event.clientY;
  });
  for (const end of ["pointerup", "pointerleave"])
    scroller.addEventListener(end, () => {
      from = null;
      scroller.classList.remove("is-panning");
    });
}

// Everything that happens on a card; the drawing inside may be replaced at any time.
/** @param {State} state @param {HTMLElement} scroller */
function listen(state, scroller) {
  /** @param {Event} event @returns {SVGElement | null} */
  const at = (event) => targetOf(event).closest?.("g.node") ?? null;
  /** @param {SVGElement | null} card */
  const toggle = (card) => state.pick(card && idOf(card) !== state.selected ? idOf(card) : null);
  scroller.addEventListener("click", (event) => targetOf(event).closest("svg") && toggle(at(event)));
  scroller.addEventListener("pointerover", (event) => {
    const card = at(event);
    if (card === state.hovered) return;
    state.hovered = card;
    hover(state, card);
    tell(card, "hover");
  });
  scroller.addEventListener("pointerleave", () => {
    state.hovered = null;
    hover(state, null);
    tell(null, "hover");
  });
  scroller.addEventListener("keydown", (event) => {
    const card = at(event);
    if (!card) return;
    if (event.key === "Enter" || event.key === " ") toggle(card);
    else if (event.key.startsWith("Arrow")) neighbour(state, card, event.key)?.focus();
    else if (event.key === "+" || event.key === "-") zoom(state, event.key === "+" ? STEP : 1 / STEP);
    else if (event.key === "0") fit(state, true);
    else if (event.key === "Escape") state.pick(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  scroller.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // without a key the wheel scrolls
      event.preventDefault();
      zoom(state, event.deltaY < 0 ? 1.1 : 1 / 1.1, event.clientX, event.clientY);
    },
    { passive: false },
  );
  scroller.addEventListener("scroll", () => !state.bare && look(state), { passive: true });
  pan(scroller);
}

// The bar, the tools and the ground; made anew only when their words change.
/** @param {HTMLElement} stage @param {State} state @param {Data} data */
function frame(stage, state, data) {
  state.stage = stage;
  state.scroller = document.createElement("div");
  state.scroller.className = "scroller";
  listen(state, state.scroller);
  stage.replaceChildren(toolbar(state, data), state.scroller);
  state.bare = true;
}

/** @param {SVGSVGElement} svg */
const sizeOf = (svg) => `${svg.viewBox.baseVal.width}x${svg.viewBox.baseVal.height}`;

// Makes an old drawing equal to a new one and leaves alone what is: of most changes only a few numbers are drawn anew.
/** @param {ChildNode} old @param {ChildNode} fresh */
function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (!(old instanceof Element && fresh instanceof Element) || old.nodeName !== fresh.nodeName) return old.replaceWith(fresh);
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const now = [...fresh.childNodes];
  if (old.childNodes.length !== now.length) old.replaceChildren(...now);
  else [...old.childNodes].forEach((child, i) => morph(child, now[i]));
}

// A new picture in the old one's place: where its size is the same, or the reader zoomed, nothing moves.
/** @param {HTMLElement} stage @param {State} state @param {Data} data */
function picture(stage, state, data) {
  const active = /** @type {SVGElement | null} */ (document.activeElement);
  const focused = !state.bare && active && state.svg.contains(active) ? active.dataset.id : null;
  const before = state.bare ? "" : sizeOf(state.svg);
  const drawn = new DOMParser().parseFromString(data.svg, "image/svg+xml").documentElement;
  const parsed = /** @type {SVGSVGElement} */ (/** @type {Element} */ (drawn));
  /** @type {NodeListOf<SVGElement>} */
  const stopped = parsed.querySelectorAll(".is-failed");
  state.stopped = [...stopped].map(idOf); // of this very run
  const stays = before && (state.zoomed || before === sizeOf(parsed));
  if (before) morph(state.svg, parsed);
  else state.scroller.replaceChildren((state.svg = document.adoptNode(parsed)));
  state.bare = false;
  state.svg.classList.toggle("show-contributions", state.contributions);
  apply(state);
  measure(state);
  state.sideways = data.view?.direction === "LR";
  if (stays) look(state);
  else opening(state);
  const had = state.selected;
  choose(state, had && byId(state, had) ? had : null);
  if (had) tell(data.stale ? null : byId(state, had), "select", true); // its expression may stand elsewhere now
  if (focused) byId(state, focused)?.focus({ preventScroll: true });
  document.dispatchEvent(new CustomEvent("explorer:drawn"));
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement, setStateValue }) {
  const stage = /** @type {HTMLElement & { explorer?: State }} */ (part(parentElement, ".stage"));
  const state = (stage.explorer ??= /** @type {State} */ ({
    shown: null, framed: null, selected: null, scale: 1, zoomed: false, contributions: false, bare: true,
  }));
  state.set = setStateValue;
  state.words = data.words;
  state.ask = (view) => setStateValue("view", view);
  state.pick = (id) => {
    state.set("selected", id); // first: the server answers while the card is lit
    choose(state, id);
    tell(byId(state, id), "select");
  };
  const framed = JSON.stringify([data.words, data.view, data.title, data.foldable, data.roots]);
  if (state.framed !== framed) {
    state.framed = framed;
    state.shown = null;
    frame(stage, state, data);
  }
  if (state.shown !== data.svg) {
    state.shown = data.svg;
    picture(stage, state, data);
  }
  stage.classList.toggle("is-stale", Boolean(data.stale));
  const failed = new Set([...state.stopped, ...(data.failed ?? [])]);
  for (const card of cards(state)) card.classList.toggle("is-failed", failed.has(idOf(card)));
  const sizes = new ResizeObserver(() => resized(state));
  sizes.observe(stage);
  const pointed = (/** @type {DocumentEventMap["explorer:point"]} */ { detail }) =>
    detail.source !== "graph" && light(state, detail.spans);
  const stepped = (/** @type {DocumentEventMap["explorer:step"]} */ { detail }) => {
    step(state, detail);
    clearTimeout(state.following);
    if (detail?.follow && detail.card !== state.selected)
      state.following = setTimeout(() => state.pick(detail.card), FOLLOW);
  };
  document.addEventListener("explorer:point", pointed);
  document.addEventListener("explorer:step", stepped);
  return () => {
    sizes.disconnect();
    document.removeEventListener("explorer:point", pointed);
    document.removeEventListener("explorer:step", stepped);
  };
}
