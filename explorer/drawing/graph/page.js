// Gives graph.js its stage in a page of its own, and shows the part of the page that belongs to the chosen card.

import { part } from "../dom.js";
import { mount } from "./graph.js";

const stage = part(document, ".stage");
const told = JSON.parse(part(document, "#told").textContent ?? "");

/** @param {string | null} id */
function show(id) {
  const wanted = id ?? told.root;
  for (const one of document.querySelectorAll("aside > [data-card]")) one.hidden = one.dataset.card !== wanted;
}

document.documentElement.classList.add("is-live");
mount({
  data: { ...told, svg: new XMLSerializer().serializeToString(part(stage, "svg")) },
  parentElement: document.body,
  setStateValue: (name, value) => name === "selected" && show(/** @type {string | null} */ (value)),
});
