// Presenting: program, graph and player in large print. Only the address knows, not the server.

import { part } from "../../../drawing/dom.js";

/** @typedef {{ words: { leave: string } }} Data */

const root = document.documentElement;

/** @param {boolean} on */
function present(on) {
  if (on) root.dataset.present = "1";
  else delete root.dataset.present;
  const url = new URL(location.href);
  if (on) url.searchParams.set("present", "1");
  else url.searchParams.delete("present");
  if (url.href !== location.href) history.replaceState(history.state, "", url);
  dispatchEvent(new Event("resize")); // the picture finds its room
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement }) {
  const leave = part(parentElement, ".present-leave");
  leave.textContent = data.words.leave;
  leave.onclick = () => present(false);
  if (new URLSearchParams(location.search).get("present") === "1") root.dataset.present = "1";
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest?.("input, textarea, select, [contenteditable]")) return;
    if (event.key === "p" || event.key === "P") present(!("present" in root.dataset));
    else if (event.key === "Escape" && "present" in root.dataset) present(false);
  };
  const asked = () => present(true);
  document.addEventListener("keydown", pressed, true); // before the cards
  document.addEventListener("explorer:present", asked);
  return (ended) => {
    document.removeEventListener("keydown", pressed, true);
    document.removeEventListener("explorer:present", asked);
    if (ended) delete root.dataset.present;
  };
}
