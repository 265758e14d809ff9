// A picture in a notebook: graph.js next to the chosen card and the answer to Why?, as HTML from the kernel.

import { part, targetOf } from "../dom.js";
import { mount } from "../graph/graph.js";
import { listen, placeOf } from "./place.js";

/** @typedef {{ root: string, card: string, legend: string, sentence: string, ask: string }} Told */
/** @typedef {import("../graph/types").Data & Told} Shown */
/** @typedef {{ card?: string, why?: string }} Answer */
/** @typedef {import("./place.js").Model} Model */

const PLACES =
  '<div class="picture is-live"><main><div class="stage"></div><div class="legend-place"></div>' +
  '<p class="sentence"></p></main><aside><input class="asked" type="text" maxlength="200">' +
  '<div class="why-place"></div><div class="card-place" aria-live="polite"></div></aside></div>';

/** @param {{ model: Model, el: HTMLElement }} page @returns {() => void} */
export function render({ model, el }) {
  const root = placeOf(model, el, PLACES);
  /** @type {HTMLElement & { explorer?: import("../graph/types").State }} */
  const stage = part(root, ".stage");
  /** @type {HTMLElement} */
  const picture = part(root, ".picture");
  const card = part(root, ".card-place"), why = part(root, ".why-place");
  /** @type {HTMLInputElement} */
  const field = part(root, ".asked");
  let chosen = "", within = false;
  /** @type {Stop | undefined} */
  let stop;

  function draw() {
    /** @type {Shown} */
    const shown = model.get("shown");
    part(root, ".legend-place").innerHTML = shown.legend; // HTML of ours, escaped when it was made
    part(root, ".sentence").textContent = shown.sentence;
    card.innerHTML = shown.card;
    field.placeholder = field.ariaLabel = shown.ask;
    stop?.();
    stop = mount({ data: shown, parentElement: picture, setStateValue });
  }

  /** @param {string} name @param {any} value */
  function setStateValue(name, value) {
    if (name === "module") model.send({ module: { path: value.path, open: value.open } });
    if (name !== "selected") return;
    if (chosen !== (value ?? "")) why.replaceChildren();
    chosen = value ?? "";
    model.send({ selected: value });
  }

  /** @param {Answer} answer */
  function answered(answer) {
    if (answer.card !== undefined) card.innerHTML = answer.card;
    if (answer.why === undefined) return;
    why.innerHTML = answer.why;
    why.querySelector("section")?.focus({ preventScroll: true });
  }

  // A click in the picture asks on `document`, which every picture of the notebook hears.
  const whyHere = (/** @type {DocumentEventMap["explorer:why"]} */ { detail }) => within && model.send({ why: detail });
  root.addEventListener("click", () => (within = true), true);
  root.addEventListener("click", () => (within = false));
  part(root, "aside").addEventListener("click", (event) => {
    /** @type {HTMLElement | null} */
    const at = targetOf(event).closest("[data-entry], [data-why], [data-ask], [data-goto], [data-close]");
    if (!at) return;
    const { entry } = at.dataset, of = at.closest(".of-gradient") ? "gradient" : "value";
    if (entry) model.send({ why: { card: chosen || cardShown(), of, entry: Number(entry) } });
    else if (at.dataset.why) model.send({ why: { card: chosen || cardShown(), of: at.dataset.why } });
    else if (at.dataset.ask) model.send({ code: at.dataset.ask });
    else if (at.dataset.goto) /** @type {SVGElement | null} */ (stage.querySelector(`[data-id="${at.dataset.goto}"]`))?.focus();
    else why.replaceChildren();
  });
  const cardShown = () => model.get("shown").root;
  root.addEventListener("keydown", (event) => {
    const { key } = /** @type {KeyboardEvent} */ (event), typing = targetOf(event) === field;
    if (typing && key === "Enter") model.send({ name: field.value });
    else if (!typing && key === "?") model.send({ why: { card: chosen || cardShown(), of: "" } });
    else return;
    event.preventDefault();
    event.stopPropagation(); // in a notebook Enter begins to edit the cell
  });
  document.addEventListener("explorer:why", whyHere);
  const leave = listen(model, draw, answered);
  return () => {
    stop?.();
    document.removeEventListener("explorer:why", whyHere);
    leave();
  };
}
