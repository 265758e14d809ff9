// Groups of controls with one Tab stop each: arrow keys move within, and Tab returns to the last control.

import { targetOf } from "./dom.js";

// Each group's arrow keys; "" for cards, which move along their edges.
/** @type {Record<string, string>} */
const GROUPS = {
  ".stage .scroller": "", ".graph-bar": "side", ".st-key-legendbar": "side", ".st-key-inspector": "down", ".player": "down",
  ".st-key-editor_bar": "side", ".st-key-language": "side", ".st-key-nav_places": "side",
  ".st-key-welcome": "side",
};
const BOXES = Object.keys(GROUPS).join();
const ONES = "a[href], button, summary, [tabindex], input[type=checkbox]";
const OTHERS = "input, select, textarea, [role=slider]:not(.track), [role=separator], [data-entry], [role=gridcell], pre"; // they use the arrow keys themselves, or scroll
const STEPS = /** @type {Record<string, Record<string, number>>} */ ({ side: { ArrowLeft: -1, ArrowRight: 1 }, down: { ArrowUp: -1, ArrowDown: 1 } });

/** @type {WeakMap<Element, Element>} */
const last = new WeakMap(); // by group the control that had the focus

/** @param {Element} box */
const shown = (box) => ones(box).filter((one) => one.checkVisibility({ visibilityProperty: true }));

/** @param {Element} box @returns {HTMLElement[]} */
const ones = (box) => [...box.querySelectorAll(ONES)].filter((one) => {
  if (one.closest(BOXES) !== box || /** @type {HTMLButtonElement} */ (one).disabled || one.matches("form *")) return false;
  if (one.matches(OTHERS) && !one.matches("input[type=checkbox]")) return false;
  return one.getAttribute("tabindex") !== "-1" || one.hasAttribute("data-stop");
});

/** @param {Element} box */
function gather(box) {
  const all = ones(box), before = last.get(box);
  const first = box.querySelector("button.go") ?? box.querySelector("g.node.is-selected");
  const visible = (/** @type {Element | null | undefined} */ one) => one && all.includes(/** @type {HTMLElement} */ (one)) && one.checkVisibility({ visibilityProperty: true });
  const stop = visible(before) ? before : visible(first) ? first : all.find(visible);
  for (const one of all) {
    const tab = one === stop ? "0" : "-1";
    if (one.getAttribute("tabindex") === tab && one.hasAttribute("data-stop")) continue;
    one.setAttribute("tabindex", tab);
    one.setAttribute("data-stop", "");
  }
}

/** @param {FocusEvent} event */
function focused(event) {
  const at = targetOf(event), box = at.closest?.(BOXES);
  if (!box) return;
  const after = (/** @type {Element} */ one) => at.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING;
  const stop = at.hasAttribute("data-stop") ? at : at.getAttribute("tabindex") === "-1" && shown(box).find(after); // of a part that a script brought to the front
  if (!stop) return;
  last.set(box, stop);
  gather(box);
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  const at = targetOf(event), box = at.closest?.(BOXES);
  if (!box || !at.hasAttribute("data-stop") || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const how = GROUPS[Object.keys(GROUPS).find((name) => box.matches(name)) ?? ""], step = STEPS[how]?.[event.key];
  if (!step) return;
  const all = shown(box), next = all[(all.indexOf(at) + step + all.length) % all.length];
  event.preventDefault();
  event.stopPropagation(); // the player steps with the same keys
  next?.focus();
}

/** Keep the groups of this page as one stop each. */
export function stops() {
  if (globalThis.explorerStops) return;
  let waits = false;
  const all = () => {
    waits = false;
    for (const box of document.querySelectorAll(BOXES)) gather(box);
  };
  const soon = () => {
    if (!waits) requestAnimationFrame(all);
    waits = true;
  };
  globalThis.explorerStops = new MutationObserver(soon);
  globalThis.explorerStops.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled", "hidden", "open"] });
  document.addEventListener("focusin", focused);
  document.addEventListener("keydown", pressed, true);
  all();
}
