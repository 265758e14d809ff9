// Pictures that stand still: two drawings of the same, of which the page shows the one that fits.

import { part } from "../../../drawing/dom.js";

/** @param {Page<{ wide: string, narrow: string }>} page */
export function mount({ data, parentElement }) {
  const place = /** @type {HTMLElement & { explorer?: string }} */ (part(parentElement, ".strips"));
  const told = JSON.stringify(data);
  if (place.explorer === told) return;
  place.explorer = told;
  for (const [name, svg] of Object.entries({ wide: data.wide, narrow: data.narrow })) {
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    part(place, `.${name}`).replaceChildren(document.adoptNode(parsed));
  }
}
