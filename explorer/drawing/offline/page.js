// Sets up graph.js in a standalone page, shows the chosen card's part of the page, and replaces the picture when a
// module is opened.

import { part } from "../dom.js";
import { showProgram } from "./program.js";
import { mount as play } from "../player/player.js";
import { cardThen } from "../player/then.js";
import { mount } from "../graph/graph.js";
import { stops } from "../stops.js";

/** @typedef {{ svg: string, within: string, root: string }} Opening */
/** @typedef {{ pictures: Record<string, Opening>, cards: Record<string, string> }} Packed */

const stage = part(document, ".stage"), missing = part(document, ".missing");
const data = JSON.parse(part(document, "#page-data").textContent ?? "");
/** @type {Opening} */
const first = { svg: new XMLSerializer().serializeToString(part(stage, "svg")), within: "", root: data.root };
/** @type {Promise<Packed> | undefined} */
let opened;
let now = first, shown = "";

// The pictures with a module opened are packed: unpacked when the first of them is asked for.
/** @returns {Promise<Packed>} */
async function unpacked() {
  const text = document.querySelector("#openings")?.textContent;
  if (!text) return { pictures: {}, cards: {} };
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const found = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
  for (const [card, html] of Object.entries(found.cards)) {
    const section = document.createElement("section");
    Object.assign(section, { hidden: true, innerHTML: html }); // escaped when it was made
    section.dataset.card = card;
    document.querySelector("aside")?.append(section);
  }
  return found;
}

/** @param {string | null} id */
function show(id) {
  const wanted = id ?? now.root;
  for (const part of document.querySelectorAll("aside > [data-card]")) part.hidden = part.dataset.card !== wanted;
}

/** @param {{ path: string, open: boolean }} asked */
async function turn({ path, open }) {
  const { pictures } = await (opened ??= unpacked());
  const wanted = open ? path : (pictures[path]?.within ?? "");
  missing.hidden = !wanted || wanted in pictures;
  missing.textContent = data.words.missing.replaceAll("{module}", wanted);
  let near = wanted; // its enclosing module may be there
  while (near && !(near in pictures)) near = near.slice(0, Math.max(0, near.lastIndexOf(".")));
  if (near !== wanted && (!near || near === shown)) return;
  [shown, now] = [near, near ? pictures[near] : first];
  document.querySelector(".player .last")?.click();
  draw();
  show(null);
}

// Back to the picture that the page began with.
function home() {
  [shown, now] = ["", first];
  draw();
  show(null);
}

function draw() {
  mount({
    data: { ...data, svg: now.svg, opened: shown !== "" },
    parentElement: document.body,
    setStateValue: (name, value) => {
      if (name === "selected") show(/** @type {string | null} */ (value));
      if (name === "module") turn(/** @type {{ path: string, open: boolean }} */ (value));
    },
  });
}

// The run plays in the initial picture: an open module is closed first, and opening a module stops the player.
function film() {
  const packed = part(document, "#line").textContent ?? "";
  if (packed) globalThis.explorerReel = { line: { key: data.player.key, packed } };
  showProgram(document.querySelector(".program"), data.cells, data.player.begins);
  document.addEventListener("explorer:step", ({ detail }) => {
    if (detail && shown) home();
    for (const part of document.querySelectorAll("aside > [data-card]")) {
      const card = part.dataset.card ?? "";
      part.classList.toggle("is-waiting", Boolean(detail?.waiting.includes(card)));
      part.classList.toggle("is-not-yet", Boolean(detail?.elsewhere || detail?.drawn?.[card] || detail?.absent?.includes(card)));
      part.classList.toggle("is-elsewhere", Boolean(detail?.elsewhere));
    }
    cardThen(part(document, "aside"), detail, document.querySelector("aside > [data-card]:not([hidden])")?.dataset.card ?? "");
  });
  play({ data: data.player, parentElement: document.body, setStateValue: () => {} });
}

document.documentElement.classList.add("is-live");
draw();
if (data.player) film();
stops();
