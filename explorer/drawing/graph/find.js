// Search in the picture: cards that have the words, and closed modules with something inside that has them.

import { part } from "../dom.js";
import { cards, fly, idOf } from "./room.js";

/** @typedef {import("./types").State} State */

// The first module path inside a closed module that contains these words.
/** @param {SVGElement} card @param {string} wanted */
function inside(card, wanted) {
  const names = card.dataset.inside?.split(" ") ?? [];
  for (const member of card.dataset.members?.split(" ") ?? [])
    for (const name of names) if (`${member}.${name}`.toLowerCase().includes(wanted)) return `${member}.${name}`;
  return "";
}

/** @param {State} state @param {string} words */
function search(state, words) {
  const wanted = words.trim().toLowerCase();
  state.found = [];
  for (const card of cards(state)) {
    const own = !wanted || card.getAttribute("aria-label")?.toLowerCase().includes(wanted);
    const hidden = own ? "" : inside(card, wanted);
    card.classList.toggle("is-dimmed", !own && !hidden);
    if (wanted && (own || hidden)) state.found.push({ card, hidden });
  }
}

// Opens the module that contains a hidden match; the match is selected once it is drawn.
/** @param {State} state @param {string} name */
function uncover(state, name) {
  state.sought = name;
  state.set("module", { path: name.slice(0, name.lastIndexOf(".")), open: true, at: Date.now() });
}

/** @param {SVGElement} card */
const titleOf = (card) => card.querySelector("title")?.textContent ?? "";

// The uncovered match's card in the current picture.
/** @param {State} state @returns {SVGElement | undefined} */
export function uncovered(state) {
  const { sought } = state;
  state.sought = "";
  return sought ? [...cards(state)].find((card) => titleOf(card).split(", ").includes(sought)) : undefined;
}

/** @param {State} state @param {Record<string, string>} words */
export function searchField(state, words) {
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
      const at = state.found.findIndex(({ card }) => card.dataset.id === state.selected);
      const { card, hidden } = state.found[(at + 1) % state.found.length];
      if (hidden) return uncover(state, hidden);
      state.pick(idOf(card));
      fly(state, card);
    }
  };
  return field;
}
