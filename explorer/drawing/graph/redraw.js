// One drawing becomes another: only what differs is replaced, and what the reader lit stays lit.

import { byId } from "./room.js";

/** @typedef {import("./types").State} State */

export const ROOT = '<svg xmlns="http://www.w3.org/2000/svg">';

/** @param {string} text */
export const svgOf = (text) =>
  /** @type {SVGSVGElement} */ (/** @type {Element} */ (new DOMParser().parseFromString(text, "image/svg+xml").documentElement));

// What the page itself says of a card, that it is chosen or pointed at, outlasts what is drawn there.
const OWN = ["aria-pressed", "aria-description", "tabindex", "data-stop"];
/** @param {string} name */
const marks = (name) => name === "on-path" || (name.startsWith("is-") && name !== "is-failed" && name !== "is-parting");

// The same for its replacement, which is not in the page yet: no style is asked for twice.
/** @param {Element} old @param {Element} fresh */
function keep(old, fresh) {
  if (old.getAttribute("data-id") !== fresh.getAttribute("data-id")) return;
  for (const name of old.classList) if (marks(name)) fresh.classList.add(name);
  for (const name of OWN) if (old.hasAttribute(name)) fresh.setAttribute(name, old.getAttribute(name) ?? "");
}

// Makes an old drawing equal to a new one and leaves alone what is: of most changes only a few numbers are drawn anew.
/** @param {ChildNode} old @param {ChildNode} fresh */
export function morph(old, fresh) {
  if (!(old instanceof Element && fresh instanceof Element) || old.nodeName !== fresh.nodeName) return old.isEqualNode(fresh) || old.replaceWith(fresh);
  keep(old, fresh);
  if (old.isEqualNode(fresh)) return;
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const now = [...fresh.childNodes];
  if (old.childNodes.length !== now.length) old.replaceChildren(...now);
  else [...old.childNodes].forEach((child, i) => morph(child, now[i]));
}

// Leaves with the value that they have at a step; what they were drawn as comes back afterwards.
/** @param {State} state @param {Record<string, string | null>} drawn */
export function redraw(state, drawn) {
  const kept = (state.replaced ??= new Map());
  const wanted = Object.entries(drawn).filter(([, svg]) => svg !== null);
  for (const id of new Set([...kept.keys(), ...wanted.map(([one]) => one)])) {
    const card = byId(state, id);
    if (!card) continue;
    if (!kept.has(id)) kept.set(id, bare(card));
    const fresh = svgOf(ROOT + (drawn[id] ?? kept.get(id)) + "</svg>").children[0];
    morph(card, fresh);
    if (!drawn[id]) kept.delete(id);
  }
}

// A card's markup without what says that it is chosen or pointed at.
/** @param {SVGElement} card */
function bare(card) {
  const copy = /** @type {SVGElement} */ (card.cloneNode(true));
  copy.classList.remove(...[...copy.classList].filter(marks));
  copy.removeAttribute("aria-pressed");
  return new XMLSerializer().serializeToString(copy);
}
