// A wire that is chosen to be cut or scaled: it lights up, a bar below the picture has the choices, and cards whose
// gradient changed say from what to what.

import { byId, cards, idOf } from "./room.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").ChosenWire} ChosenWire */

const NEAR = [0, 7, 14, 20]; // px from a finger within which a wire is meant

/** @param {State} state @param {string} act @param {string[]} ids */
export const askWire = (state, act, ids) => state.set("wire", { act, ids, at: Date.now() });

// The wire under a pointer, for a finger also near it.
/** @param {State} state @param {MouseEvent} event */
export function wireAt(state, event) {
  if (!state.wires) return;
  const reach = /** @type {PointerEvent} */ (event).pointerType === "touch" ? NEAR : [0];
  for (const r of reach)
    for (const [x, y] of [[r, 0], [-r, 0], [0, r], [0, -r]]) {
      /** @type {SVGElement | null | undefined} */
      const found = document.elementFromPoint(event.clientX + x, event.clientY + y)?.closest("g.edge");
      if (found && state.svg.contains(found)) return found.dataset.id;
    }
}

// The wires into a card, from the one behind the chosen one on: each press of a key chooses the next.
/** @param {State} state @param {SVGElement} card */
export function nextWire(state, card) {
  const into = [...state.svg.querySelectorAll(".edge")].filter((one) => one.dataset.target === idOf(card)).map((one) => one.dataset.id ?? "");
  const at = into.indexOf(state.wire?.id ?? "") + 1;
  state.byKey = idOf(card);
  if (into.length) askWire(state, "choose", [...into.slice(at), ...into.slice(0, at)]);
}

// Asked again after every drawing, since one drawing becomes another.
/** @param {State} state */
export function showWire(state) {
  const { wire } = state, noted = new Set(wire?.notes.map(([card]) => card));
  for (const one of state.svg.querySelectorAll(".edge")) {
    one.classList.toggle("is-chosen", Boolean(wire?.id) && one.dataset.id === wire?.id);
    one.classList.toggle("is-severed", Boolean(wire?.cut) && one.dataset.id === wire?.id);
  }
  for (const card of cards(state)) card.classList.toggle("is-changed", noted.has(idOf(card)));
  const key = JSON.stringify(wire ?? null);
  if (state.wireShown !== key) bar(state, (state.wireShown = key) === "null" ? null : wire);
}

/** @param {State} state @param {ChosenWire | null | undefined} wire */
function bar(state, wire) {
  const before = state.stage.querySelector(".wire-bar"), had = before?.contains(document.activeElement);
  if (!wire) return before?.remove();
  const made = document.createElement("div"), said = document.createElement("p");
  made.className = "wire-bar";
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", wire.label);
  said.setAttribute("role", "status");
  said.textContent = wire.said;
  const buttons = wire.buttons.map(([act, text, hint]) => {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", textContent: text, title: hint, onclick: () => askWire(state, act, [wire.id]) });
    return button;
  });
  const close = document.createElement("button"), shut = () => {
    askWire(state, "close", []);
    byId(state, state.byKey)?.focus();
  };
  Object.assign(close, { type: "button", textContent: "×", title: state.words.wireClose, onclick: shut });
  close.setAttribute("aria-label", state.words.wireClose);
  made.append(said, close, ...buttons);
  made.onkeydown = (event) => {
    const card = byId(state, state.byKey);
    if (event.key === "Escape") shut();
    else if (event.key === "x" && card) nextWire(state, card);
    else return;
    event.stopPropagation();
    event.preventDefault();
  };
  before?.remove();
  state.stage.append(made);
  if (had || (state.byKey && !wire.notes.length && wire.id)) (buttons[0] ?? close).focus({ preventScroll: true });
}
