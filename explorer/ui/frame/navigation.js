// The row of places: a link keeps the session, and the current place is scrolled into view.

import { part, targetOf } from "../../drawing/dom.js";

/** @typedef {{ html: string }} Data */

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement, setStateValue }) {
  const nav = /** @type {HTMLElement & { shown?: string }} */ (part(parentElement, "nav"));
  if (nav.shown !== data.html) nav.innerHTML = nav.shown = data.html;
  const more = part(nav, ".head-more"), root = document.documentElement; // on a phone, it opens the rest of the head
  more.setAttribute("aria-expanded", String(root.hasAttribute("data-head")));
  more.onclick = () => more.setAttribute("aria-expanded", String(root.toggleAttribute("data-head")));
  const pages = nav.querySelector(".st-key-nav_here"), present = /** @type {HTMLElement | null} */ (pages?.querySelector("[aria-current]"));
  if (pages && present) pages.scrollLeft = present.offsetLeft - (pages.clientWidth - present.offsetWidth) / 2;
  const clicked = (/** @type {MouseEvent} */ event) => {
    const page = /** @type {HTMLElement | null} */ (targetOf(event).closest?.("a"))?.dataset.page;
    if (!page || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault(); // the session continues; the browser handles a new tab or window
    setStateValue("chosen", { page, at: Date.now() });
  };
  nav.addEventListener("click", clicked);
  return () => nav.removeEventListener("click", clicked);
}
