// A card with its numbers at a moment, as in the picture, while the inspector has those of another time.

/** @typedef {HTMLElement & { markup?: string }} Copied */

const AROUND = 3; // px of shadow and ring around a card

// The chosen card, else the moment's, else the inspected one if present, else the output.
/** @param {Stepped} step @param {string} inspected @returns {SVGGraphicsElement | null} */
function cardOf(step, inspected) {
  const same = !step.elsewhere || step.position !== undefined; // pictures of one film have the same cards
  /** @param {string} id @returns {SVGGraphicsElement | null} */
  const byId = (id) => document.querySelector(`.stage g.node[data-id="${CSS.escape(id)}"]:not(.is-absent)`);
  /** @type {SVGGraphicsElement | null} */
  const chosen = document.querySelector(".stage g.node.is-selected:not(.is-absent)");
  const about = chosen ?? (step.card ? byId(step.card) : null) ?? (same ? byId(inspected) : null);
  return about ?? document.querySelector(".stage g.node.out:not(.is-absent)");
}

// Copies the card as a separate drawing.
/** @param {SVGGraphicsElement} card */
function drawn(card) {
  const { x, y, width, height } = card.getBBox(), copy = /** @type {SVGElement} */ (card.cloneNode(true));
  for (const name of ["id", "transform", "tabindex", "role", "data-id", "aria-label", "aria-pressed"]) copy.removeAttribute(name);
  copy.classList.remove("node", "is-selected", "is-hovered", "is-now", "is-fresh", "is-written");
  const box = [x - AROUND, y - AROUND, width + 2 * AROUND, height + 2 * AROUND].map((one) => one.toFixed(1));
  return `<svg class="autograd is-stepping" viewBox="${box.join(" ")}" width="${box[2]}" role="img" aria-hidden="true">${new XMLSerializer().serializeToString(copy)}</svg>`;
}

// Whether the card is shown. `step`: null: the inspector's numbers are current.
/** @param {HTMLElement} place @param {Stepped | null} step @param {string} inspected */
export function cardThen(place, step, inspected) {
  const card = step && (step.elsewhere || step.drawn?.[inspected]) ? cardOf(step, inspected) : null;
  /** @type {Copied | null} */
  const old = place.querySelector(":scope > .then");
  place.classList.toggle("is-then", Boolean(card));
  if (!card) return old?.remove();
  const made = old ?? /** @type {Copied} */ (Object.assign(document.createElement("div"), { className: "then" })), markup = drawn(card);
  if (made.markup !== markup) made.innerHTML = made.markup = markup; // a copy of the server's drawing
  if (!old) place.prepend(made);
}
