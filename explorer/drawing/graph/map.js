// The map of a picture larger than its pane: its cards and the visible part. Click it to go there.

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Box} Box */
/** @typedef {import("./types").CardBox} CardBox */

const WIDE = 120, TALL = 150, LEAST = 40; // px that it takes at most, and at least
const SHARE = { wide: 0.2, tall: 0.45 }; // of the pane, at most
const WORTH = 2; // panes that a picture fills at least before it has a map
const EDGE = 20; // px that are its own: its distance from the edge, its frame

/** @param {string} name @param {Partial<Box>} [box] */
function rect(name, box) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  made.setAttribute("class", name);
  if (box) lay(made, /** @type {Box} */ (box));
  return made;
}

/** @param {SVGRectElement} of @param {Box} box */
function lay(of, { left, top, right, bottom }) {
  const sides = { x: left, y: top, width: right - left, height: bottom - top };
  for (const [side, px] of Object.entries(sides)) of.setAttribute(side, String(Math.round(px)));
}

/** @param {State} state */
export function mapOf(state) {
  const map = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  map.setAttribute("class", "graph-map");
  map.setAttribute("preserveAspectRatio", "none"); // keeps cards of a long row distinguishable
  map.setAttribute("aria-hidden", "true"); // the keyboard has the cards themselves
  map.toggleAttribute("hidden", true);
  const moveTo = (/** @type {PointerEvent} */ { clientX, clientY, buttons }) => {
    if (!buttons) return;
    const { scroller, svg } = state, at = map.getBoundingClientRect(), drawn = svg.getBoundingClientRect();
    const frame = scroller.getBoundingClientRect();
    scroller.scrollBy({
      left: drawn.left + ((clientX - at.left) / at.width) * drawn.width - frame.left - frame.width / 2,
      top: drawn.top + ((clientY - at.top) / at.height) * drawn.height - frame.top - frame.height / 2,
    });
  };
  map.onpointerdown = (event) => {
    map.setPointerCapture(event.pointerId);
    moveTo(event);
  };
  map.onpointermove = moveTo;
  return map;
}

/** @param {State} state */
export function drawMap(state) {
  const { map, svg, places } = state, { width, height } = svg.viewBox.baseVal;
  map.setAttribute("viewBox", `0 0 ${width} ${height}`);
  sized(state);
  map.replaceChildren(...places.map((box) => rect(box.name, box)), rect("seen"));
}

// Gives it the size that its room allows, in px.
/** @param {State} state */
function sized({ map, svg, scroller }) {
  const { width, height } = svg.viewBox.baseVal, { clientWidth, clientHeight } = scroller;
  const most = { wide: Math.min(WIDE, SHARE.wide * clientWidth), tall: Math.min(TALL, SHARE.tall * clientHeight) };
  const scale = Math.min(most.wide / width, most.tall / height), [wide, tall] = [width, height].map((side) => Math.max(LEAST, side * scale));
  Object.assign(map.style, { width: `${wide}px`, height: `${tall}px` });
  return { wide: wide + EDGE, tall: tall + EDGE };
}

// `frame`: the visible part in the picture's units; null for all of it.
/** @param {State} state @param {Box | null} frame */
export function showSeen({ map, svg }, frame) {
  const { width, height } = svg.viewBox.baseVal;
  const panes = frame ? Math.max(1, width / (frame.right - frame.left)) * Math.max(1, height / (frame.bottom - frame.top)) : 0;
  map.toggleAttribute("hidden", panes < WORTH);
  if (frame && map.lastElementChild) lay(/** @type {SVGRectElement} */ (map.lastElementChild), frame);
}

// Placed in a corner that covers no card, preferably at the bottom right. It never covers the root or a fault.
/** @param {State} state @param {CardBox[]} cards @param {Box} frame */
export function besideCards(state, cards, frame) {
  const { map, scroller } = state, { wide, tall } = sized(state);
  const corners = ["", "is-left", "is-top", "is-left is-top"].map((name) => {
    const left = name.includes("left") ? frame.left : frame.right - wide, top = name.includes("top") ? frame.top : frame.bottom - tall;
    const under = cards.filter((card) => card.right > left && card.left < left + wide && card.bottom > top && card.top < top + tall);
    return { name, covers: under.length + (under.some((card) => card.name) ? cards.length : 0) };
  });
  const best = corners.reduce((found, corner) => (corner.covers < found.covers ? corner : found));
  for (const side of ["is-left", "is-top"]) map.classList.toggle(side, best.name.includes(side));
  map.style.top = best.name.includes("is-top") ? `${scroller.offsetTop + 10}px` : ""; // below the bar
}
