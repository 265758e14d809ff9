// The graph fills the window, by its button or the key F. The inspector comes when a card is chosen: beside the graph, over
// it where there is no room for both, on a phone from below.

import { targetOf } from "../../../drawing/dom.js";

const root = document.documentElement;
const CLEAR = 12; // px on both sides of the chosen card, less in a narrow window
const TWICE = 250; // ms within which two clicks are one double click
const TYPING = "input, textarea, select, [contenteditable]";

const phone = matchMedia("(max-width: 760px)");
// Whether the inspector slides over the graph: over the whole window, in a pane too narrow for both, and on a phone.
const slides = () => root.hasAttribute("data-full") || root.hasAttribute("data-over") || phone.matches;

/** @param {boolean} on */
function fill(on) {
  root.toggleAttribute("data-full", on);
  if (!on) show(false);
  const button = document.querySelector(".zoom .full");
  button?.setAttribute("aria-pressed", String(on));
  dispatchEvent(new Event("resize")); // the picture finds its room
}

// The inspector slides in or out.
/** @param {boolean} on */
function show(on) {
  root.toggleAttribute("data-inspecting", on);
  document.querySelector(".zoom .inspect")?.setAttribute("aria-pressed", String(on));
  makeWay();
}

// Moves the picture left if the inspector would cover the chosen card; on a phone scrolls the page.
function makeWay() {
  const panel = document.querySelector(".st-key-inspector"), stage = document.querySelector(".stage");
  const card = document.querySelector(".stage g.node:is(.is-now, .is-selected)");
  const moved = -parseFloat(getComputedStyle(card?.closest("svg") ?? root).translate) || 0;
  let aside = 0;
  if (phone.matches) {
    const covered = root.hasAttribute("data-inspecting") && card && card.getBoundingClientRect().bottom > innerHeight / 2;
    if (covered) card.scrollIntoView({ block: "start" });
  } else if (panel && stage && card && slides() && root.hasAttribute("data-inspecting")) {
    const { left, right } = card.getBoundingClientRect(), frame = stage.getBoundingClientRect();
    const end = frame.right - panel.offsetWidth, spare = end - frame.left - (right - left);
    const clear = Math.max(0, Math.min(CLEAR, spare / 2));
    aside = Math.max(0, Math.min(right + moved - end + clear, left + moved - frame.left - clear));
  }
  root.style.setProperty("--aside", `${Math.round(aside)}px`);
}

// A card chosen by the reader shows the inspector; one followed by the player does not. Beside the graph it stays, and it
// comes once a second click could no longer miss what moves.
const inspect = () => setTimeout(() => {
  const chosen = Boolean(document.querySelector(".stage g.node.is-selected"));
  if (slides() || (chosen && !root.hasAttribute("data-inspecting"))) show(chosen);
}, slides() ? 0 : TWICE);

/** @returns {Stop} */
export function mount() {
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    const target = targetOf(event), on = root.hasAttribute("data-full"), slid = root.hasAttribute("data-inspecting");
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || target.closest?.(TYPING)) return;
    if (event.key === "f" || event.key === "F") fill(!on);
    else if (event.key === "Escape" && slid && slides()) show(false);
    else if (event.key === "Escape" && on) fill(false);
    else if (target.closest?.(".stage")) inspect();
  };
  const clicked = (/** @type {Event} */ event) => {
    const at = targetOf(event);
    if (at.closest?.(".inspector-close")) show(false);
    else if (at.closest?.(".scroller") && !at.closest(".contribution")) inspect();
  };
  const left = new AbortController(), { signal } = left;
  document.addEventListener("keydown", pressed, { signal, capture: true }); // before the cards
  document.addEventListener("click", clicked, { signal });
  document.addEventListener("explorer:full", () => fill(!root.hasAttribute("data-full")), { signal });
  document.addEventListener("explorer:inspect", () => show(!root.hasAttribute("data-inspecting")), { signal });
  document.addEventListener("explorer:asked", () => show(true), { signal });
  document.addEventListener("explorer:choose", ({ detail }) => detail && !slides() && show(true), { signal }); // as an address with an answer does
  document.addEventListener("explorer:drawn", makeWay, { signal });
  document.addEventListener("explorer:step", makeWay, { signal });
  return (ended) => {
    left.abort();
    if (ended) fill(false);
  };
}
