// What the player shows in the picture: the cards and edges of its step.

import { fromAfar } from "./far.js";
import { redraw } from "./redraw.js";
import { byId, cards, idOf, look, lost, reveal } from "./room.js";

/** @typedef {import("./types").State} State */

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

// The player's step: highlights, gradients that have arrived, and pending ones.
/** @param {State} state @param {Stepped | null} shown */
export function step(state, shown) {
  state.step = shown;
  for (const label of state.svg.querySelectorAll(".raised")) label.remove();
  redraw(state, shown?.drawn ?? {});
  fromAfar(state);
  state.svg.classList.toggle("is-stepping", Boolean(shown));
  const fresh = new Set(shown?.fresh), absent = new Set(shown?.absent), asked = new Set(shown?.asked);
  const now = new Set(shown?.edges), past = new Set(shown?.past);
  const marks = Object.entries({
    absent, fresh, asked, freed: new Set(shown?.freed), growing: new Set(shown?.growing), now: new Set([shown?.card]),
    pending: new Set(shown?.waiting), written: new Set(shown?.written?.filter((id) => !fresh.has(id))),
  });
  for (const card of cards(state))
    for (const [mark, ids] of marks) card.classList.toggle(`is-${mark}`, ids.has(idOf(card)));
  for (const [id, words] of Object.entries(shown?.raised ?? {})) raise(byId(state, id), words);
  /** @type {NodeListOf<SVGElement>} */
  const edges = state.svg.querySelectorAll(".edge, .contribution");
  for (const edge of edges) {
    edge.classList.toggle("is-now", now.has(idOf(edge)));
    edge.classList.toggle("is-past", past.has(idOf(edge)));
    edge.classList.toggle("is-asked", asked.has(idOf(edge)));
  }
  for (const edge of state.svg.querySelectorAll(".edge, .contribution, .cutmark")) {
    const [source, target] = edge.dataset.id?.split("-") ?? [];
    const ends = [edge.dataset.source ?? source, edge.dataset.target ?? target];
    edge.classList.toggle("is-absent", ends.some((one) => absent.has(one)));
    edge.classList.toggle("is-fresh", ends.some((one) => fresh.has(one)));
  }
  requestAnimationFrame(() => { // when all of the page has changed: to ask earlier would lay it out twice
    if (state.step !== shown || state.bare) return;
    const card = shown && (byId(state, shown.card) ?? lost(state));
    if (card) reveal(state, card);
    look(state);
  });
}
