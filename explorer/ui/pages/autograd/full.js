// The graph over the whole window, by its button or the key F. The inspector slides over it when a card is chosen.

import { targetOf } from "../../../drawing/dom.js";

const root = document.documentElement;
const TYPING = "input, textarea, select, [contenteditable]";

// Whether the inspector slides over the graph: over the whole window, and in a pane too narrow for both.
const slides = () => root.hasAttribute("data-full") || root.hasAttribute("data-over");

/** @param {boolean} on */
function fill(on) {
  root.toggleAttribute("data-full", on);
  if (!on) root.removeAttribute("data-inspecting");
  const button = document.querySelector(".zoom .full");
  button?.setAttribute("aria-pressed", String(on));
  dispatchEvent(new Event("resize")); // the picture finds its room
}

// A card that the reader chose has its numbers beside it; one that the player follows has not.
const inspect = () => setTimeout(() => root.toggleAttribute("data-inspecting", Boolean(document.querySelector(".stage g.node.is-selected"))));

/** @returns {Stop} */
export function mount() {
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    const target = targetOf(event), on = root.hasAttribute("data-full"), slid = root.hasAttribute("data-inspecting");
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || target.closest?.(TYPING)) return;
    if (event.key === "f" || event.key === "F") fill(!on);
    else if (event.key === "Escape" && slid) root.removeAttribute("data-inspecting");
    else if (event.key === "Escape" && on) fill(false);
    else if (slides() && target.closest?.(".stage")) inspect();
  };
  const clicked = (/** @type {Event} */ event) => slides() && targetOf(event).closest?.(".scroller") && inspect();
  const asked = () => fill(!root.hasAttribute("data-full"));
  document.addEventListener("keydown", pressed, true); // before the cards
  document.addEventListener("click", clicked);
  document.addEventListener("explorer:full", asked);
  return (ended) => {
    document.removeEventListener("keydown", pressed, true);
    document.removeEventListener("click", clicked);
    document.removeEventListener("explorer:full", asked);
    if (ended) fill(false);
  };
}
