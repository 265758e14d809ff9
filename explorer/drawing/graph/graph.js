// The picture of a graph: puts the server's SVG into the page; pan, zoom, search, hover, choice, and the player's marks.
// Classes on cards and wires change here; positions never do.
// On `document`: explorer:point says what is pointed at, here and in the editor; explorer:step what the player shows.

import { part, targetOf } from "../dom.js";
import { fromAfar } from "./far.js";
import { searchField, uncovered } from "./find.js";
import { apply, byId, cards, fit, idOf, look, measure, opening, resized, reveal, zoom } from "./room.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Data} Data */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Roots} Roots */

const STEP = 1.25; // one press of a zoom button
const FOLLOW = 120; // ms after a step of the player before the inspector follows

/** @param {SVGElement | null | undefined} card */
const spanOf = (card) => /** @type {CellSpan | undefined} */ (card?.dataset.span?.split(",").map(Number));

// All copies of one leaf are one thing.
/** @param {State} state @param {SVGElement} card */
const same = (state, card) =>
  [...cards(state)].filter(
    (one) => one === card || (card.classList.contains("leaf") && one.dataset.tensors === card.dataset.tensors),
  );

// `again`: it was chosen before, and only stands elsewhere now. A picture of a program that stands in no editor is deaf.
/** @param {State} state @param {SVGElement | null | undefined} card @param {Pointed["kind"]} kind @param {boolean} [again] */
function tell(state, card, kind, again = false) {
  if (state.deaf) return;
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
function lies(a, b) {
  const starts = a[1] > b[1] || (a[1] === b[1] && a[2] >= b[2]);
  const ends = a[3] < b[3] || (a[3] === b[3] && a[4] <= b[4]);
  return a[0] === b[0] && starts && ends;
}

/** @param {State} state @param {CellSpan[]} spans */
function light(state, spans) {
  for (const card of cards(state)) {
    const span = spanOf(card);
    card.classList.toggle("is-hovered", Boolean(span && spans.some((other) => lies(span, other))));
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

// Leaves with the value that they have at a step; what they were drawn as comes back afterwards.
/** @param {State} state @param {Record<string, string | null>} drawn */
function redraw(state, drawn) {
  const kept = (state.replaced ??= new Map());
  const wanted = Object.entries(drawn).filter(([, svg]) => svg !== null);
  for (const id of new Set([...kept.keys(), ...wanted.map(([one]) => one)])) {
    const card = byId(state, id);
    if (!card) continue;
    if (!kept.has(id)) kept.set(id, bare(card));
    const fresh = svgOf(ROOT + (drawn[id] ?? kept.get(id)) + "</svg>").children[0];
    lit(card, () => morph(card, fresh));
    if (!drawn[id]) kept.delete(id);
  }
}

// A card's markup without what says that it is chosen or pointed at.
/** @param {SVGElement} card */
function bare(card) {
  const copy = /** @type {SVGElement} */ (card.cloneNode(true));
  copy.classList.remove(...[...copy.classList].filter((name) => name.startsWith("is-") && name !== "is-failed"));
  copy.removeAttribute("aria-pressed");
  return new XMLSerializer().serializeToString(copy);
}

// Above a card the version that a write in place raised.
/** @param {SVGElement | undefined | null} card @param {string} words */
function raise(card, words) {
  if (!card) return;
  const box = /** @type {SVGGraphicsElement} */ (card).getBBox(), label = document.createElementNS("http://www.w3.org/2000/svg", "text");
  label.setAttribute("class", "raised");
  label.setAttribute("x", String(box.x + box.width));
  label.setAttribute("y", String(box.y - 5));
  label.textContent = words;
  card.append(label);
}

// The player's step: what is lit, what carries a gradient now, what waits for its own.
/** @param {State} state @param {Stepped | null} shown */
function step(state, shown) {
  state.step = shown;
  for (const label of state.svg.querySelectorAll(".raised")) label.remove();
  redraw(state, shown?.drawn ?? {});
  fromAfar(state);
  state.svg.classList.toggle("is-stepping", Boolean(shown));
  const waiting = new Set(shown?.waiting), now = new Set(shown?.wires), past = new Set(shown?.past);
  const asked = new Set(shown?.asked), absent = new Set(shown?.absent), fresh = new Set(shown?.fresh);
  const freed = new Set(shown?.freed), growing = new Set(shown?.growing), written = new Set(shown?.written);
  for (const card of cards(state)) {
    card.classList.toggle("is-absent", absent.has(idOf(card)));
    card.classList.toggle("is-fresh", fresh.has(idOf(card)));
    card.classList.toggle("is-written", written.has(idOf(card)) && !fresh.has(idOf(card)));
    card.classList.toggle("is-freed", freed.has(idOf(card)));
    card.classList.toggle("is-growing", growing.has(idOf(card)));
    card.classList.toggle("is-now", card.dataset.id === shown?.card);
    card.classList.toggle("is-pending", waiting.has(idOf(card)));
    card.classList.toggle("is-asked", asked.has(idOf(card)));
  }
  for (const [id, words] of Object.entries(shown?.raised ?? {})) raise(byId(state, id), words);
  /** @type {NodeListOf<SVGElement>} */
  const wires = state.svg.querySelectorAll(".edge, .contribution");
  for (const wire of wires) {
    wire.classList.toggle("is-now", now.has(idOf(wire)));
    wire.classList.toggle("is-past", past.has(idOf(wire)));
    wire.classList.toggle("is-asked", asked.has(idOf(wire)));
  }
  for (const wire of state.svg.querySelectorAll(".edge, .contribution, .cutmark")) {
    const [source, target] = wire.dataset.id?.split("-") ?? [];
    const ends = [wire.dataset.source ?? source, wire.dataset.target ?? target];
    wire.classList.toggle("is-absent", ends.some((one) => absent.has(one)));
    wire.classList.toggle("is-fresh", ends.some((one) => fresh.has(one)));
  }
  requestAnimationFrame(() => { // when all of the page has changed: to ask earlier would lay it out twice
    const card = state.step && state.step === shown && byId(state, shown.card);
    if (card) reveal(state, card);
  });
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
    button(words.fitWord, words.fit, () => fit(state, true)),
  );
  const field = searchField(state, words);
  const opened = () => (field.hidden ? ((field.hidden = false), field.focus()) : state.unfound());
  if (words.turn) {
    /** @type {View} */
    const turned = { direction: data.view.direction === "TB" ? "LR" : "TB", fold: data.view.fold };
    tools.append(button(words.turnWord, words.turn, () => state.ask(turned), "turn"));
  }
  tools.append(button(words.searchWord, words.search, opened, "find"));
  if (words.full) tools.append(button(words.full, words.fullHint, () => document.dispatchEvent(new Event("explorer:full")), "full"));
  if (words.inspect) tools.append(button(words.inspect, words.inspectHint, () => document.dispatchEvent(new Event("explorer:inspect")), "inspect"));
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
  if (data.opened) {
    const words = data.words.closeModules;
    bar.append(button(words, words, () => state.set("module", { path: "", open: false, at: Date.now() }), "quiet-button"));
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

// Somebody asks why a number of a card is what it is: the page that holds the picture knows.
/** @param {string} card @param {"value" | "gradient"} of */
const why = (card, of) => document.dispatchEvent(new CustomEvent("explorer:why", { detail: { card, of } }));

// Which number of a card a click hit: only a page that answers lets numbers take clicks.
/** @param {Element} at @returns {"value" | "gradient" | null} */
const numberAt = (at) => (at.closest(".grad, .gpart") ? "gradient" : at.closest(".val, .rng") ? "value" : null);

// Who holds the picture has it drawn anew with a module open or closed. The same may be asked twice.
/** @param {State} state @param {string | undefined} path @param {boolean} open */
function turn(state, path, open) {
  if (!path) return;
  state.turned = { path, open };
  state.set("module", { path, open, at: Date.now() });
}

// The open module around a card; a leaf stands with what reads it.
/** @param {State} state @param {SVGElement | null | undefined} card @returns {string | undefined} */
function around(state, card) {
  if (!card || card.dataset.within || card.dataset.module) return card?.dataset.within;
  return neighbour(state, card, "ArrowDown")?.dataset.within;
}

/** @param {Element} at */
const framed = (at) => /** @type {SVGElement | null} */ (at.closest("g.frame"))?.dataset.open;

// What was opened or closed: the first card inside, or the card that it is now.
/** @param {State} state */
function turned(state) {
  const { path, open } = state.turned ?? { path: "", open: true };
  state.turned = undefined;
  if (!path) return;
  const stem = path.replace(/[^.]*\*[^.]*$/, "");
  const within = (/** @type {string} */ inner, /** @type {string} */ outer) => `${inner}.`.startsWith(`${outer}.`);
  const meant = [...cards(state)].find(({ dataset: { within: home = "", module = "", members = "" } }) =>
    open ? (stem === path ? within(home, path) : `${home}.`.startsWith(stem))
      : module && (within(module, path) || members.split(" ").some((one) => within(path, one))),
  );
  if (!meant) return;
  reveal(state, meant);
  meant.focus({ preventScroll: true });
  return meant;
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
  scroller.addEventListener("click", (event) => {
    const pill = targetOf(event).closest(".contribution"), card = at(event);
    const number = card && !state.svg.classList.contains("is-far") && numberAt(targetOf(event));
    if (targetOf(event).closest(".opener")) turn(state, card?.dataset.module, true);
    else if (targetOf(event).closest(".closer")) turn(state, framed(targetOf(event)), false);
    else if (pill) why(pill.dataset.id?.split("-")[0] ?? "", "gradient");
    else if (card && number) {
      if (idOf(card) !== state.selected) state.pick(idOf(card));
      why(idOf(card), number);
    } else if (targetOf(event).closest("svg")) toggle(card);
  });
  scroller.addEventListener("pointerover", (event) => {
    const card = at(event);
    if (card === state.hovered) return;
    state.hovered = card;
    hover(state, card);
    tell(state, card, "hover");
  });
  scroller.addEventListener("pointerleave", () => {
    state.hovered = null;
    hover(state, null);
    tell(state, null, "hover");
  });
  scroller.addEventListener("dblclick", (event) => turn(state, at(event)?.dataset.module, true));
  scroller.addEventListener("keydown", (event) => {
    const card = at(event), closer = targetOf(event).closest(".closer");
    if (!card && !closer) return;
    if (!card) {
      if (!["Enter", " ", "c"].includes(event.key) || event.ctrlKey || event.metaKey) return;
      turn(state, framed(targetOf(event)), false);
    } else if (event.key === "Enter" || event.key === " ") toggle(card);
    else if (event.key.startsWith("Arrow")) neighbour(state, card, event.key)?.focus();
    else if (event.key === "+" || event.key === "-") zoom(state, event.key === "+" ? STEP : 1 / STEP);
    else if (event.key === "0") fit(state, true);
    else if ((event.key === "o" || event.key === "c") && !event.ctrlKey && !event.metaKey)
      event.key === "o" ? turn(state, card.dataset.module, true) : turn(state, around(state, card), false);
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
  state.replaced?.clear(); // the server's picture takes their place
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
  const sought = uncovered(state);
  if (sought) state.selected = idOf(sought);
  const had = state.selected;
  choose(state, had && byId(state, had) ? had : null);
  if (sought) {
    state.set("selected", idOf(sought));
    reveal(state, sought);
  }
  if (had) tell(state, data.stale ? null : byId(state, had), "select", true); // its expression may stand elsewhere now
  if (focused) byId(state, focused)?.focus({ preventScroll: true });
  const meant = turned(state);
  if (had && meant && !byId(state, had)) state.pick(idOf(meant)); // the chosen card went with its module
  document.dispatchEvent(new CustomEvent("explorer:drawn"));
}

// A picture of the same layout in the place of the one before: of its parts only those are read that changed, and what
// the reader lit stays lit. Null: there is none yet, and what is shown is of another step.
/** @param {State} state @param {string[] | null} parts */
function film(state, parts) {
  if (!state.bare) redraw(state, {});
  state.stage.classList.toggle("is-behind", parts === null);
  if (parts === null || state.bare) return;
  const before = state.parts;
  state.parts = parts;
  const [head, , ...rest] = parts; // the root, its patterns, then one element each, and at last all labels
  const labels = rest.pop() ?? "";
  const drawn = [...state.svg.children].slice(1);
  if (!before || before.length !== parts.length || before[0] !== head) {
    const whole = svgOf(parts.join("\n"));
    const same = sizeOf(state.svg) === sizeOf(whole);
    morph(state.svg, whole);
    state.svg.classList.toggle("show-contributions", state.contributions);
    apply(state);
    if (!same) {
      measure(state);
      opening(state);
    }
    return choose(state, state.selected);
  }
  const changed = rest.map((_, i) => i).filter((i) => before[i + 2] !== rest[i]);
  const fresh = [...svgOf(ROOT + changed.map((i) => rest[i]).join("") + labels).children]; // the labels end the drawing
  changed.forEach((at, i) => lit(drawn[at], () => morph(drawn[at], fresh[i])));
  if (before[before.length - 1] === labels) return;
  const above = drawn.slice(rest.length), now = fresh.slice(changed.length);
  if (above.length === now.length) above.forEach((one, i) => lit(one, () => morph(one, now[i])));
  else {
    for (const one of above) one.remove();
    state.svg.append(...now);
  }
}

const ROOT = '<svg xmlns="http://www.w3.org/2000/svg">';

/** @param {string} text */
const svgOf = (text) =>
  /** @type {SVGSVGElement} */ (/** @type {Element} */ (new DOMParser().parseFromString(text, "image/svg+xml").documentElement));

// What says of an element that it is chosen or pointed at outlasts what is done to it.
/** @param {Element} element @param {() => void} act */
function lit(element, act) {
  const said = [...element.classList].filter((name) => name.startsWith("is-") && name !== "is-failed");
  const pressed = element.getAttribute("aria-pressed");
  act();
  if (said.length) element.classList.add(...said);
  if (pressed !== null) element.setAttribute("aria-pressed", pressed);
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement, setStateValue }) {
  const stage = /** @type {HTMLElement & { explorer?: State }} */ (part(parentElement, ".stage"));
  const state = (stage.explorer ??= /** @type {State} */ ({
    shown: null, framed: null, selected: null, scale: 1, zoomed: false, contributions: false, bare: true,
  }));
  state.set = setStateValue;
  state.words = data.words;
  state.deaf = Boolean(data.deaf);
  state.ask = (view) => setStateValue("view", view);
  state.pick = (id) => {
    clearTimeout(state.following); // who chooses a card keeps it, also just after a step
    state.set("selected", id); // first: the server answers while the card is lit
    choose(state, id);
    tell(state, byId(state, id), "select");
  };
  const framed = JSON.stringify([data.words, data.view, data.title, data.foldable, data.opened, data.roots]);
  if (state.framed !== framed) {
    state.framed = framed;
    state.shown = null;
    frame(stage, state, data);
  }
  stage.dataset.film = data.film ?? "";
  const another = state.moment !== data.moment || state.film !== data.film;
  if (state.given !== data.svg || another || state.shown === null) {
    state.film = data.film;
    state.given = state.shown = data.svg;
    state.parts = undefined;
    state.moment = data.moment;
    stage.classList.remove("is-behind");
    picture(stage, state, data);
  }
  stage.classList.toggle("is-stale", Boolean(data.stale));
  const failed = new Set([...state.stopped, ...(data.failed ?? [])]);
  for (const card of cards(state)) card.classList.toggle("is-failed", failed.has(idOf(card)));
  const sizes = new ResizeObserver(() => resized(state));
  sizes.observe(stage);
  const pointed = (/** @type {DocumentEventMap["explorer:point"]} */ { detail }) =>
    detail.source !== "graph" && !state.deaf && light(state, detail.spans);
  const stepped = (/** @type {DocumentEventMap["explorer:step"]} */ { detail }) => {
    step(state, detail);
    clearTimeout(state.following);
    if (detail?.follow && detail.card !== state.selected)
      state.following = setTimeout(() => state.pick(detail.card), FOLLOW);
  };
  const chosen = (/** @type {DocumentEventMap["explorer:choose"]} */ { detail }) => {
    const card = byId(state, detail);
    if (!card && detail) return;
    state.pick(detail || null);
    if (card) reveal(state, card);
  };
  const seen = (/** @type {DocumentEventMap["explorer:show"]} */ { detail }) => {
    const card = byId(state, detail);
    hover(state, card);
    if (!card) return;
    reveal(state, card);
    stage.scrollIntoView({ block: "nearest" }); // on a phone it lies above
  };
  const filmed = (/** @type {DocumentEventMap["explorer:frame"]} */ { detail }) => film(state, detail && detail.svg);
  document.addEventListener("explorer:frame", filmed);
  document.addEventListener("explorer:choose", chosen);
  document.addEventListener("explorer:show", seen);
  document.addEventListener("explorer:point", pointed);
  document.addEventListener("explorer:step", stepped);
  return () => {
    sizes.disconnect();
    document.removeEventListener("explorer:frame", filmed);
    document.removeEventListener("explorer:choose", chosen);
    document.removeEventListener("explorer:show", seen);
    document.removeEventListener("explorer:point", pointed);
    document.removeEventListener("explorer:step", stepped);
  };
}
