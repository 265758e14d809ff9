// A training in a notebook: film.js above the kernel's details of the pressed step or parameter.

import { part } from "../dom.js";
import { mount } from "../training/film.js";
import { listen, placeOf } from "./place.js";

/** @typedef {{ measures: Record<string, string>, measure: string, label: string, thinned: string }} Told */
/** @typedef {Omit<import("../training/film.js").Data, "run"> & Told} Shown */
/** @typedef {import("./place.js").Model} Model */

const PLACES =
  '<div class="training"><p class="thinned"></p><label class="measure"><span></span><select></select></label>' +
  '<div class="film-root"></div><div class="table" aria-live="polite"></div></div>';

/** @param {{ model: Model, el: HTMLElement }} page @returns {() => void} */
export function render({ model, el }) {
  const root = placeOf(model, el, PLACES);
  /** @type {HTMLElement} */
  const training = part(root, ".training");
  /** @type {HTMLSelectElement} */
  const measure = part(root, ".measure select");
  const table = part(root, ".table");
  let step = -1;
  /** @type {(() => void) | undefined} */
  let stop;

  function draw() {
    /** @type {Shown} */
    const shown = model.get("shown");
    part(root, ".thinned").textContent = shown.thinned;
    part(root, ".measure span").textContent = shown.label;
    measure.replaceChildren(...Object.entries(shown.measures).map(([name, words]) => new Option(words, name)));
    measure.value = shown.measure;
    stop?.();
    const film = { ...shown.film, at: shown.film.steps.indexOf(step) };
    stop = mount({ data: { html: shown.html, film, run: "" }, parentElement: training, setStateValue });
  }

  /** @param {string} name @param {any} value */
  function setStateValue(name, value) {
    if (name === "step") step = value.step;
    if (name === "step" && step < 0) table.replaceChildren();
    else model.send({ [name]: value[name] });
  }

  /** @param {{ html?: string }} answer */
  function answered(answer) {
    if (answer.html !== undefined) table.innerHTML = answer.html; // escaped when it was made
  }

  measure.addEventListener("change", () => model.send({ measure: measure.value }));
  training.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation(); // in a notebook Enter begins to edit the cell, arrows leave it
  });
  const leave = listen(model, draw, answered);
  return () => {
    stop?.();
    leave();
  };
}
