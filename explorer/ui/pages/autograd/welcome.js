// The first minute: the offered program plays once by itself, and a door leads into the editor.

import { part, targetOf } from "../../../drawing/dom.js";

/** @typedef {{ words: { paste: string, pasting: string }, plays: boolean }} Data */

const PLAYED = "explorer:played", DRAFT = "explorer:autograd"; // in this browser: for a tab, and for the next visit
const LOOK = 250, STANDS = 1500; // ms between two looks at the picture, and that it stands whole before it plays, and at its end
const SLOW = "0.5", USUAL = "1"; // speeds: what is said is to be read
const PLAYS = ".player:not(.is-stale) .ctl .go.is-named", WHOLE = ".player .ctl button:last-child", ENDED = ".player .track";

const TOUCHES = ["keydown", "pointerdown", "input"];

const root = document.documentElement;

/** @param {"localStorage" | "sessionStorage"} area @param {string} name @param {string} [value] */
function stored(area, name, value) {
  try {
    if (value === undefined) return globalThis[area].getItem(name);
    globalThis[area].setItem(name, value);
  } catch {
    return ""; // refused: then nothing plays
  }
  return null;
}

// Only for who opens the page itself, for the first time, and wants things to move.
const mayPlay = () =>
  stored("sessionStorage", PLAYED) === null && !matchMedia("(prefers-reduced-motion: reduce)").matches &&
  !location.hash && [...new URLSearchParams(location.search).keys()].every((name) => name === "lang");

/** @template {HTMLElement} Found @param {string} selector */
const found = (selector) => /** @type {Found | null} */ (document.querySelector(selector));

/** @param {string} speed */
function pace(speed) {
  const choice = /** @type {HTMLSelectElement | null} */ (found(".player .speed"));
  if (choice) choice.value = speed;
  choice?.dispatchEvent(new Event("change"));
}

// The whole picture, no card of it chosen: beside it stands the story.
function rest() {
  found(WHOLE)?.click();
  document.dispatchEvent(new CustomEvent("explorer:choose", { detail: "" }));
}

// Presses the player's own buttons, as a hand would. Whoever touches anything has the whole picture again, unless it is
// the player's own button, track or key.
/** @returns {() => void} */
function playOnce() {
  let since = 0, begun = false;
  // Whether something has been so for a while.
  const lasts = (/** @type {boolean} */ now) => {
    if (!now) since = 0;
    else since ||= Date.now();
    return now && Date.now() - since >= STANDS;
  };
  const look = setInterval(() => {
    if (begun) {
      const track = found(ENDED);
      if (!track || !lasts(track.ariaValueNow === track.ariaValueMax)) return;
      over();
      return rest();
    }
    const button = found(PLAYS);
    if (!lasts(Boolean(button?.offsetParent && found(".st-key-graph g.node") && !document.hidden))) return;
    stored("sessionStorage", PLAYED, "1");
    begun = true;
    since = 0;
    pace(SLOW);
    button?.click();
  }, LOOK);
  const touched = (/** @type {Event} */ event) => {
    if (!event.isTrusted) return;
    stored("sessionStorage", PLAYED, "1");
    const key = event instanceof KeyboardEvent, at = targetOf(event).closest?.(".player :is(.ctl, .track)");
    const own = key ? /^( |Arrow|Page|Home|End)/.test(event.key) : at;
    const playing = begun && "playing" in root.dataset;
    over();
    if (playing && !own) rest();
  };
  const over = () => {
    clearInterval(look);
    if (begun) pace(USUAL);
    for (const event of TOUCHES) removeEventListener(event, touched, true);
  };
  for (const event of TOUCHES) addEventListener(event, touched, true);
  return over;
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data: { words, plays }, parentElement }) {
  const door = part(parentElement, ".door");
  door.textContent = words.paste;
  door.onclick = () => {
    const area = /** @type {HTMLTextAreaElement | null} */ (document.querySelector(".code-editor textarea"));
    if (!area) return;
    area.focus();
    area.select();
    door.textContent = words.pasting.replace("{key}", /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘V" : "Ctrl+V");
    area.addEventListener("blur", () => (door.textContent = words.paste), { once: true });
  };
  const here = /** @type {HTMLElement & { explorerOver?: () => void, explorerSeen?: boolean }} */ (door); // drawn again it plays on
  if (!here.explorerSeen) root.toggleAttribute("data-known", Boolean(stored("localStorage", DRAFT))); // and stays, though there is a draft by now
  here.explorerSeen = true;
  if (plays && mayPlay()) here.explorerOver ??= playOnce();
  return (ended) => ended && here.explorerOver?.();
}
