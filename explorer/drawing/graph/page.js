// Gives graph.js its stage in a page of its own, and shows the part of the page that belongs to the chosen card.

import { mount } from "./graph.js";

const stage = document.querySelector(".stage");
const told = JSON.parse(document.getElementById("told").textContent);

function show(id) {
  const wanted = id ?? told.root;
  for (const one of document.querySelectorAll("aside > [data-card]")) one.hidden = one.dataset.card !== wanted;
}

document.documentElement.classList.add("is-live");
mount({
  data: { ...told, svg: new XMLSerializer().serializeToString(stage.querySelector("svg")) },
  parentElement: document.body,
  setStateValue: (name, value) => name === "selected" && show(value),
});
