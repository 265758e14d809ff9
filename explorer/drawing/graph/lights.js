// Selection and hover in the picture: classes on cards and edges, and events for the rest of the page.

import { byId, cards, idOf } from "./room.js";

/** @typedef {import("./types").State} State */

/** @param {SVGElement | null | undefined} card */
const spanOf = (card) => /** @type {CellSpan | undefined} */ (card?.dataset.span?.split(",").map(Number));

// All copies of one leaf are one thing.
/** @param {State} state @param {SVGElement} card */
const same = (state, card) =>
  [...cards(state)].filter(
    (one) => one === card || (card.classList.contains("leaf") && one.dataset.tensors === card.dataset.tensors),
  );

// `again`: the same selection elsewhere. A picture without an editor ignores the page's events.
/** @param {State} state @param {SVGElement | null | undefined} card @param {Pointed["kind"]} kind @param {boolean} [again] */
export function announce(state, card, kind, again = false) {
  if (state.deaf) return;
  const span = spanOf(card);
  document.dispatchEvent(
    new CustomEvent("explorer:point", { detail: { spans: span ? [span] : [], source: "graph", kind, again } }),
  );
}

/** @param {CellSpan} a @param {CellSpan} b */
export function lies(a, b) {
  const starts = a[1] > b[1] || (a[1] === b[1] && a[2] >= b[2]);
  const ends = a[3] < b[3] || (a[3] === b[3] && a[4] <= b[4]);
  return a[0] === b[0] && starts && ends;
}

// Highlights what the mouse points at here, else elsewhere on the page, else another part's choice, else the editor's
// cursor, which stays in place while a mouse passes.
/** @param {State} state */
export function light(state) {
  const { hover, select, caret } = state.pointed ?? {};
  const spans = [hover, select, caret].find((some) => some?.length) ?? [];
  const under = state.hovered && byId(state, idOf(state.hovered)); // it may be drawn anew
  const pointed = under ? same(state, under) : null;
  for (const card of cards(state)) {
    const span = spanOf(card);
    card.classList.toggle("is-hovered", pointed ? pointed.includes(card) : Boolean(span && spans.some((other) => lies(span, other))));
  }
}

/** @param {State} state @param {Pointed} target of another part of the page */
export function pointed(state, { spans, kind }) {
  state.pointed = { ...state.pointed, [kind]: spans ?? [] };
  if (kind === "caret") state.pointed.select = [];
  if (kind !== "select") state.hovered = null;
  if (!state.bare) light(state);
}

/** @param {State} state @param {string | null} id */
export function choose(state, id) {
  state.selected = id;
  const chosen = id ? byId(state, id) : undefined;
  const all = new Set(chosen ? same(state, chosen) : []);
  for (const card of cards(state)) {
    card.classList.toggle("is-selected", all.has(card));
    const pressed = String(card.dataset.id === id);
    if (card.getAttribute("aria-pressed") !== pressed) card.setAttribute("aria-pressed", pressed);
  }
  for (const edge of state.svg.querySelectorAll(".contribution")) {
    const ends = edge.dataset.id?.split("-") ?? [];
    edge.classList.toggle("is-on", [...all].some((card) => ends.includes(idOf(card))));
  }
  light(state);
}
