// Hides what has not happened yet at a player's step, in the inspector and the output.

import { cardThen } from "./then.js";

const MARK = "is-waiting", ABSENT = "is-not-yet";

/**
 * @param {Stepped | null} step
 */
export function beside(step) {
  const waiting = new Set(step?.waiting), absent = new Set(step?.absent);
  const inspector = document.querySelector(".st-key-inspector");
  if (!inspector) return;
  const before = Boolean(step && !step.begun); // the legend's scale reveals the largest gradient
  document.querySelector(".legendbar")?.classList.toggle("is-behind-time", before);
  const card = inspector.querySelector(".inspection[data-card]")?.dataset.card ?? "";
  inspector.classList.toggle(MARK, waiting.has(card));
  inspector.classList.toggle(ABSENT, absent.has(card) || Boolean(step?.elsewhere || step?.drawn?.[card]));
  inspector.classList.toggle("is-elsewhere", Boolean(step?.elsewhere));
  cardThen(inspector, step, card);
}

// Cuts the output of a one-cell program at the step; with several cells the editor does it (page.js).
/** @param {Stepped | null} step */
export function printed(step) {
  const place = document.querySelector(".st-key-output, .st-key-lesson_output");
  if (!place) return;
  const output = step?.out && !step.out[2] ? step.out : null;
  place.classList.toggle("is-then", Boolean(output));
  const old = place.querySelector(":scope > .so-far");
  if (!output) return old?.remove();
  const made = old ?? document.createElement("div");
  made.className = "so-far";
  if (made.innerHTML !== output[1]) made.innerHTML = output[1]; // made by the server, every text of the program escaped
  if (!old) place.append(made);
}

// While the run is played, a narrow page has room for a few lines of the program and the picture below them.
/** @param {boolean} on */
export function onStage(on) {
  const page = document.documentElement, begins = on && !("playing" in page.dataset);
  page.toggleAttribute("data-playing", on);
  if (begins && matchMedia("(max-width: 760px)").matches) document.querySelector(".st-key-program")?.scrollIntoView();
}
