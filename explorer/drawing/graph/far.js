// Zoomed out, a card shows only its name and colours.

/** @typedef {import("./types").State} State */

const FAR = 0.6; // the scale below which numbers are too small to read
const NEAR = 0.95; // the same while one entry is followed: its names are read, whatever is around them
const LARGEST = 30, LEAST = 22, ADVANCE = 0.6; // px of a name, and the width of a letter for each px
const ROOM = 12; // px next to a name
const PRINT = 11, LEVELS = [0.2, 0.28, 0.4, 0.5]; // px on the screen that a name has at least, and the scales from which its size is taken

// Shows the names when the picture is zoomed out, and hides the cards' content.
/** @param {State} state */
export function fromAfar(state) {
  const far = state.scale < (state.path?.length ? NEAR : FAR);
  state.svg.classList.toggle("is-far", far);
  if (!far) return;
  const least = Math.max(LEAST, PRINT / LEVELS.reduce((found, level) => (level <= state.scale ? level : found), LEVELS[0])), size = String(least);
  /** @type {NodeListOf<SVGElement>} */
  const cards = state.svg.querySelectorAll("g.node");
  for (const card of cards) {
    const name = /** @type {SVGElement | null} */ (card.querySelector(".farname"));
    if (name?.dataset.least === size) continue;
    name?.remove();
    card.append(nameOf(card, least));
  }
}

// The name that a card's result has in the program, otherwise as much of its expression as there is room for.
/** @param {SVGElement} card @param {number} least */
function nameOf(card, least) {
  const face = card.querySelector(".face"), width = Number(face?.getAttribute("width")) - 2 * ROOM;
  const title = card.querySelector(".expr, .name")?.textContent ?? "";
  const whole = /^[\w.]+(?= = )/.exec(title)?.[0] ?? title;
  const size = Math.max(least, Math.min(LARGEST, width / ADVANCE / Math.max(1, [...whole].length)));
  const most = Math.max(1, Math.floor(width / ADVANCE / size)), letters = [...whole];
  const name = document.createElementNS("http://www.w3.org/2000/svg", "text");
  name.setAttribute("class", "farname");
  name.setAttribute("x", String(ROOM));
  name.setAttribute("y", String(size + 7));
  name.style.fontSize = `${size}px`;
  name.dataset.least = String(least);
  const end = /^[\w.]*\.\w+(\(…\))?$/.test(whole) ? Math.floor((most - 1) / 2) : 0; // names of parameters often begin alike
  name.textContent = letters.length > most ? `${letters.slice(0, most - 1 - end).join("")}…${letters.slice(letters.length - end).join("")}` : whole;
  return name;
}
