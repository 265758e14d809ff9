// The picture of a graph: puts the server's SVG into the page; pan, zoom, keys and clicks. lights.js has what is chosen
// and pointed at, steps.js the player's marks, bar.js the tools, redraw.js how one drawing becomes another. Classes on
// cards and edges change; positions never do.
// On `document`: explorer:point says what is pointed at, here and in the editor; explorer:step what the player shows.

import { part, targetOf } from "../dom.js";
import { STEP, toolbar } from "./bar.js";
import { uncovered } from "./find.js";
import { choose, light, pointed, announce } from "./lights.js";
import { mapOf } from "./map.js";
import { along, layWords, lightPath } from "./path.js";
import { ROOT, morph, redraw, svgOf } from "./redraw.js";
import { apply, byId, cards, fit, fly, glide, idOf, look, measure, opening, resized, reveal, zoom } from "./room.js";
import { step } from "./steps.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Data} Data */

const FOLLOW = 120; // ms after a step of the player before the inspector follows

// The next card in a direction: up and down along an edge, sideways the nearest on that side.
/** @param {State} state @param {SVGElement} card @param {string} key */
function neighbour(state, card, key) {
  const id = card.dataset.id;
  const [mine, other] = key === "ArrowUp" ? ["target", "source"] : ["source", "target"];
  if (key === "ArrowUp" || key === "ArrowDown") {
    const edge = [...state.svg.querySelectorAll(".edge")].find((one) => one.dataset[mine] === id);
    return edge && byId(state, edge.dataset[other]);
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

// Somebody asks why a number of a card is what it is: the page that holds the picture knows.
/** @param {string} card @param {"value" | "gradient"} of @param {number} [entry] that was pointed at */
const why = (card, of, entry = -1) => document.dispatchEvent(new CustomEvent("explorer:why", { detail: { card, of, entry } }));

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

// Two fingers zoom around their middle.
/** @param {State} state @param {HTMLElement} scroller */
function pinch(state, scroller) {
  let apart = 0;
  const fingers = (/** @type {TouchEvent} */ event) => {
    const [a, b] = event.touches, before = apart;
    apart = event.touches.length === 2 ? Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) : 0;
    if (!apart) return;
    event.preventDefault();
    if (before) glide(state, apart / before, (a.clientX + b.clientX) / 2, (a.clientY + b.clientY) / 2);
  };
  for (const name of /** @type {const} */ (["touchstart", "touchmove", "touchend"])) scroller.addEventListener(name, fingers, { passive: false });
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
    const square = targetOf(event).closest("[data-entry]");
    const number = card && (square || !state.svg.classList.contains("is-far")) && numberAt(targetOf(event));
    if (targetOf(event).closest(".opener")) turn(state, card?.dataset.module, true);
    else if (targetOf(event).closest(".closer")) turn(state, framed(targetOf(event)), false);
    else if (pill) why(pill.dataset.id?.split("-")[0] ?? "", "gradient");
    else if (card && number) {
      if (idOf(card) !== state.selected) state.pick(idOf(card));
      why(idOf(card), number, Number(square?.dataset.entry ?? -1));
    } else if (targetOf(event).closest("svg")) toggle(card);
  });
  scroller.addEventListener("pointerover", (event) => {
    const card = at(event);
    if (card === state.hovered) return;
    state.hovered = card;
    light(state);
    announce(state, card, "hover");
  });
  scroller.addEventListener("pointerleave", () => {
    state.hovered = null;
    light(state);
    announce(state, null, "hover");
  });
  scroller.addEventListener("dblclick", (event) => turn(state, at(event)?.dataset.module, true));
  scroller.addEventListener("keydown", (event) => {
    const card = at(event), closer = targetOf(event).closest(".closer");
    if (!card && !closer) return;
    if (!card) {
      if (!["Enter", " ", "c"].includes(event.key) || event.ctrlKey || event.metaKey) return;
      turn(state, framed(targetOf(event)), false);
    } else if (event.key === "Enter" || event.key === " ") toggle(card);
    else if (event.key.startsWith("Arrow")) (along(state, card, event.key) ?? neighbour(state, card, event.key))?.focus();
    else if (event.key === "+" || event.key === "-") zoom(state, event.key === "+" ? STEP : 1 / STEP);
    else if (event.key === "0") fit(state, true);
    else if ((event.key === "o" || event.key === "c") && !event.ctrlKey && !event.metaKey)
      event.key === "o" ? turn(state, card.dataset.module, true) : turn(state, around(state, card), false);
    else if (event.key === "Escape" && state.path?.length) document.dispatchEvent(new CustomEvent("explorer:why", { detail: { code: "" } }));
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
      glide(state, 2 ** (-event.deltaY / (event.deltaMode ? 16 : 500)), event.clientX, event.clientY);
    },
    { passive: false },
  );
  pinch(state, scroller);
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
  stage.replaceChildren(toolbar(state, data), state.scroller, (state.map = mapOf(state)));
  state.bare = true;
}

/** @param {SVGSVGElement} svg */
const sizeOf = (svg) => `${svg.viewBox.baseVal.width}x${svg.viewBox.baseVal.height}`;

/** @param {State} state @param {Data} data */
function markFailed(state, data) {
  const failed = new Set([...state.stopped, ...(data.failed ?? [])]);
  for (const card of cards(state)) card.classList.toggle("is-failed", failed.has(idOf(card)));
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
  apply(state);
  markFailed(state, data);
  measure(state);
  if (stays) look(state);
  else opening(state);
  const sought = uncovered(state);
  if (sought) state.selected = idOf(sought);
  const had = state.selected;
  choose(state, had && byId(state, had) ? had : null);
  if (sought) {
    state.set("selected", idOf(sought));
    fly(state, sought);
  }
  if (had) announce(state, data.stale ? null : byId(state, had), "select", true); // its expression may stand elsewhere now
  if (focused) byId(state, focused)?.focus({ preventScroll: true });
  const meant = turned(state);
  if (had && !byId(state, had)) state.pick(meant ? idOf(meant) : null); // it went with its module or its program
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
      apply(state);
    if (!same) {
      measure(state);
      opening(state);
    }
    return choose(state, state.selected);
  }
  const changed = rest.map((_, i) => i).filter((i) => before[i + 2] !== rest[i]);
  const fresh = [...svgOf(ROOT + changed.map((i) => rest[i]).join("") + labels).children]; // the labels end the drawing
  changed.forEach((at, i) => morph(drawn[at], fresh[i]));
  if (before[before.length - 1] === labels) return;
  const above = drawn.slice(rest.length), now = fresh.slice(changed.length);
  if (above.length === now.length) above.forEach((one, i) => morph(one, now[i]));
  else {
    for (const one of above) one.remove();
    state.svg.append(...now);
  }
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement, setStateValue }) {
  const stage = /** @type {HTMLElement & { explorer?: State }} */ (part(parentElement, ".stage"));
  const state = (stage.explorer ??= /** @type {State} */ ({
    shown: null, framed: null, selected: null, scale: 1, zoomed: false, bare: true,
  }));
  const { ended } = data;
  state.set = (name, value) => setStateValue(name, ended && name === "selected" && value ? [ended, value] : value);
  if (state.ended !== ended && !state.bare) choose(state, null); // the server has ended it
  state.ended = ended;
  state.words = data.words;
  state.deaf = Boolean(data.deaf);
  state.pick = (id) => {
    clearTimeout(state.following); // who chooses a card keeps it, also just after a step
    state.set("selected", id); // first: the server answers while the card is lit
    choose(state, id);
    announce(state, byId(state, id), "select");
  };
  const framed = JSON.stringify([data.words, data.fold, data.title, data.foldable, data.opened, data.roots]);
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
  const came = data.came ? byId(state, data.came) : null;
  if (came) {
    state.pick(idOf(came));
    reveal(state, came);
  }
  stage.classList.toggle("is-stale", Boolean(data.stale));
  state.path = data.path ?? [];
  if (!state.bare) lightPath(state);
  markFailed(state, data);
  const sizes = new ResizeObserver(() => resized(state));
  sizes.observe(stage);
  const words = new ResizeObserver(() => layWords(state)); // the picture was zoomed
  if (!state.bare) words.observe(state.svg);
  const heard = (/** @type {DocumentEventMap["explorer:point"]} */ { detail }) =>
    detail.source !== "graph" && !state.deaf && pointed(state, detail);
  const stepped = (/** @type {DocumentEventMap["explorer:step"]} */ { detail }) => {
    step(state, detail);
    clearTimeout(state.following);
    if (detail?.follow && detail.card !== state.selected)
      state.following = setTimeout(() => state.pick(detail.card), FOLLOW);
  };
  const chosen = (/** @type {DocumentEventMap["explorer:choose"]} */ { detail }) => {
    const card = byId(state, detail);
    if (!card && detail) return;
    if (card) {
      state.pick(detail);
      return reveal(state, card);
    }
    choose(state, null);
    announce(state, null, "select");
    // The touch that ends the opening may be a click on another part of the page: if both are reported at the same moment,
    // Streamlit draws this part alone. So the server hears of it when the click is over.
    const opening = new AbortController();
    const later = () => {
      clearTimeout(state.following);
      state.following = setTimeout(() => {
        if (document.querySelector(":active")) return;
        opening.abort();
        state.set("selected", null);
      }, FOLLOW);
    };
    later();
    document.addEventListener("pointerup", later, { once: true, capture: true, signal: opening.signal });
  };
  const seen = (/** @type {DocumentEventMap["explorer:show"]} */ { detail }) => {
    const card = byId(state, detail);
    state.hovered = card ?? null;
    light(state);
    if (!card) return;
    reveal(state, card);
    stage.scrollIntoView({ block: "nearest" }); // on a phone it lies above
  };
  const filmed = (/** @type {DocumentEventMap["explorer:frame"]} */ { detail }) => film(state, detail && detail.svg);
  const over = new AbortController(), { signal } = over;
  document.addEventListener("explorer:frame", filmed, { signal });
  document.addEventListener("explorer:choose", chosen, { signal });
  document.addEventListener("explorer:show", seen, { signal });
  document.addEventListener("explorer:point", heard, { signal });
  document.addEventListener("explorer:step", stepped, { signal });
  return () => {
    sizes.disconnect();
    words.disconnect();
    over.abort();
  };
}
