// The mark "gradients checked": the server checks when the page rests.

import { part } from "../../drawing/dom.js";

const LONGEST = 4000; // ms, as on a busy machine

/** @param {Page<{ html: string, turn: number, drawn: number, rest: number }>} page @returns {Stop | void} */
export function mount({ data, parentElement, setStateValue }) {
  const place = /** @type {HTMLElement & { shown?: string }} */ (part(parentElement, ".checked-place"));
  if (place.shown !== data.html) place.innerHTML = place.shown = data.html; // escaped by the server
  document.documentElement.toggleAttribute("data-checked", data.html.startsWith('<p class="checked" ')); // then a check by numbers is no news
  if (!data.turn) return;
  const ask = () => {
    if (place.isConnected) setStateValue("asked", data.turn);
  };
  const rest = setTimeout(() => {
    if (!globalThis.requestIdleCallback) ask(); // a browser that does not know
    else requestIdleCallback(ask, { timeout: LONGEST });
  }, data.rest);
  return () => clearTimeout(rest);
}
