// The menus of the navigation: one is open at a time; by key and by hand.

import { part, targetOf } from "../../drawing/dom.js";

/** @typedef {{ html: string }} Data */

const GROUP = ".st-key-nav div:has(> .nav-pages)";

/** @returns {HTMLElement | null} */
const opened = () => document.querySelector(".st-key-nav [data-open]");
/** @param {Element} group */
const buttonOf = (group) => /** @type {HTMLButtonElement} */ (group.querySelector("button"));
/** @param {Element} group @returns {HTMLElement[]} */
const linksOf = (group) => [...group.querySelectorAll("a")];

/** @param {HTMLElement | null} group */
function open(group) {
  for (const other of document.querySelectorAll(GROUP)) {
    const shown = other === group;
    other.toggleAttribute("data-open", shown);
    buttonOf(other).setAttribute("aria-expanded", String(shown));
  }
}

/** @param {HTMLElement} group @param {number} step */
function walk(group, step) {
  const links = linksOf(group), at = links.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : (at + step + links.length) % links.length;
  links[next]?.focus();
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement, setStateValue }) {
  const nav = part(parentElement, "nav");
  nav.innerHTML = data.html;
  const clicked = (/** @type {MouseEvent} */ event) => {
    const at = targetOf(event), group = /** @type {HTMLElement | null} */ (at.closest?.(GROUP));
    if (group && at.closest("button")) open(group === opened() ? null : group);
    else if (opened()) open(null);
    const page = /** @type {HTMLElement | null} */ (at.closest?.(".st-key-nav a"))?.dataset.page;
    if (!page || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault(); // the session goes on; a new tab or window is the browser's
    setStateValue("chosen", { page, at: Date.now() });
  };
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    const group = /** @type {HTMLElement | null} */ (targetOf(event).closest?.(GROUP));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" && opened()) {
      const left = opened();
      open(null);
      if (group && left) buttonOf(left).focus();
    } else if (group && step) {
      open(group);
      walk(group, step);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const left = (/** @type {FocusEvent} */ event) => {
    const to = /** @type {Element | null} */ (event.relatedTarget);
    if (opened() && to && !opened()?.contains(to)) open(null);
  };
  document.addEventListener("click", clicked);
  document.addEventListener("keydown", pressed, true); // before the player and the cards
  document.addEventListener("focusout", left);
  return () => {
    document.removeEventListener("click", clicked);
    document.removeEventListener("keydown", pressed, true);
    document.removeEventListener("focusout", left);
  };
}
