// One entry on its way to the root: its cards and edges are lit, the products stand on the edges, all else is dim. What is
// written there keeps its size on the screen at any scale of the picture.

import { byId, cards, idOf, look, opening, reveal, zoom } from "./room.js";

/** @typedef {import("./types").State} State */

const READING = 1.1; // the scale at which the smallest text of a card is read
const LEAST = 0.5; // that at which its name is
const ROOM = 72; // px around the way

// Lights what the server sent; asked again after every drawing, since one drawing becomes another.
/** @param {State} state */
export function lightPath(state) {
  const stops = state.path ?? [], key = JSON.stringify(stops), ways = new Set(stops.map(([, edge]) => edge)), ids = new Set(stops.map(([id]) => id));
  state.svg.classList.toggle("is-followed", stops.length > 0);
  for (const card of cards(state)) card.classList.toggle("on-path", ids.has(idOf(card)));
  for (const edge of state.svg.querySelectorAll(".edge")) edge.classList.toggle("on-path", ways.has(edge.dataset.id ?? ""));
  for (const [id, , words] of stops) if (words) byId(state, id)?.setAttribute("aria-description", words);
  layWords(state);
  if (state.followed === key) return;
  const begun = state.followed && state.followed !== "[]";
  state.followed = key;
  if (!stops.length) {
    if (begun) opening(state); // as it was before
    return;
  }
  whole(state, ids);
  layWords(state);
}

// As much of the way as there is room for, from the entry on.
/** @param {State} state @param {Set<string>} ids */
function whole(state, ids) {
  const { scroller } = state, all = [...cards(state)], boxes = state.places.filter((_, i) => all[i] && ids.has(idOf(all[i])));
  const span = (/** @type {"left" | "top"} */ low, /** @type {"right" | "bottom"} */ high) =>
    Math.max(...boxes.map((box) => box[high])) - Math.min(...boxes.map((box) => box[low]));
  const room = Math.min((scroller.clientWidth - ROOM) / span("left", "right"), (scroller.clientHeight - ROOM) / span("top", "bottom"));
  zoom(state, Math.min(READING, Math.max(LEAST, room)) / state.scale);
  const frame = scroller.getBoundingClientRect(), drawn = all.filter((card) => ids.has(idOf(card))).map((card) => card.getBoundingClientRect());
  const left = Math.min(...drawn.map((box) => box.left)), right = Math.max(...drawn.map((box) => box.right)), top = Math.min(...drawn.map((box) => box.top));
  const fits = right - left + ROOM <= frame.width, aside = drawn[0] ? all.find((card) => idOf(card) === state.path?.[0][0])?.getBoundingClientRect().left ?? left : left;
  scroller.scrollBy({ left: fits ? (left + right) / 2 - frame.left - frame.width / 2 : aside - frame.left - ROOM, top: top - frame.top - ROOM / 3 });
}

// Each product at the middle of its edge.
/** @param {State} state */
export function layWords(state) {
  const sheet = /** @type {HTMLElement} */ (state.scroller.querySelector(".path-words") ?? document.createElement("div"));
  if (!state.path?.length) return sheet.remove();
  sheet.className = "path-words";
  if (!sheet.isConnected) state.scroller.append(sheet);
  const frame = state.scroller.getBoundingClientRect(), { scrollLeft, scrollTop } = state.scroller;
  const put = (/** @type {string} */ words, /** @type {number} */ x, /** @type {number} */ y, name = "") => {
    const word = document.createElement("span");
    Object.assign(word, { textContent: words, className: name });
    word.style.left = `${x - frame.left + scrollLeft}px`;
    word.style.top = `${y - frame.top + scrollTop}px`;
    return word;
  };
  sheet.replaceChildren(...state.path.flatMap(([card, id, words, note]) => {
    /** @type {SVGPathElement | null} */
    const edge = id && words ? state.svg.querySelector(`.edge[data-id="${id}"] .edge-path`) : null, ctm = edge?.getScreenCTM();
    const middle = ctm && edge?.getPointAtLength(edge.getTotalLength() / 2).matrixTransform(ctm), box = note && byId(state, card)?.getBoundingClientRect();
    return [...(middle ? [put(words, middle.x, middle.y)] : []), ...(box ? [put(note, (box.left + box.right) / 2, id ? box.bottom - 2 : box.top - 6, "note")] : [])];
  }));
  const words = /** @type {HTMLElement[]} */ ([...sheet.children]).sort((one, other) => parseFloat(one.style.top) - parseFloat(other.style.top));
  /** @type {DOMRect[]} */
  const laid = [];
  for (const word of words) { // none runs over the edge of the picture, none over another
    const { style } = word, half = word.getBoundingClientRect().width / 2 + 4, at = parseFloat(style.left) - scrollLeft;
    if (at > 0 && at < frame.width) style.left = `${scrollLeft + Math.max(half, Math.min(at, frame.width - half))}px`;
    let box = word.getBoundingClientRect();
    for (const other of laid) {
      if (box.left >= other.right || box.right <= other.left || box.top >= other.bottom || box.bottom <= other.top) continue;
      style.top = `${parseFloat(style.top) + other.bottom + 2 - box.top}px`;
      box = word.getBoundingClientRect();
    }
    laid.push(box);
  }
}

// The next card on the way, towards the root or back; null: the card is not on it.
/** @param {State} state @param {SVGElement} card @param {string} key */
export function along(state, card, key) {
  const at = (state.path ?? []).findIndex(([id]) => id === idOf(card));
  const next = at < 0 ? undefined : state.path?.[at + (key === "ArrowDown" || key === "ArrowRight" ? 1 : -1)];
  const found = next && byId(state, next[0]);
  if (found) {
    if (state.scale < READING) zoom(state, READING / state.scale);
    reveal(state, found);
    look(state);
  }
  return found ?? null;
}
