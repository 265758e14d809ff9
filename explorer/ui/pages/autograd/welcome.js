// The first minute: the offered program plays once by itself and asks for its last number; a button skips it.

import { part, targetOf } from "../../../drawing/dom.js";
import { stored } from "../../components/storage.js";
import { recent } from "../../session/programs.js";

/**
 * `asks`: after which step of the run its last number is asked for, and the answer.
 * @typedef {{ words: Record<"skip" | "asks" | "right" | "wrong" | "again" | "one" | "product" | "formula", string>, plays: boolean,
 *   asks: { after: number, answer: number } }} Data
 */

const PLAYED = "explorer:played"; // in this tab
const LOOK = 100, STANDS = 400; // ms between two looks at the picture, and that it is there before it plays
const PATIENCE = 20_000, REWARD = 2600; // ms to wait for the program, and to show the answer
const THINKS = 20_000; // ms after which an untouched question is answered
const SLOW = "0.5", USUAL = "1"; // playing speeds; slow, so that the sentences can be read
const PLAYS = ".player:not(.is-stale) .ctl .go.is-named", WHOLE = ".player .ctl button:last-child", ENDED = ".player .track";
const GO = ".player .ctl .go", BACK = ".player .ctl button:first-child", STEP = ".player .ctl .go + button";
const CARD = '.st-key-graph g.card.leaf[aria-label^="w,"]';

const GAP = 10, NARROW = 190, WIDE = 340; // px around the question, and its width

const TOUCHES = ["keydown", "pointerdown", "input"];

const root = document.documentElement;

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

// Shows the whole picture without a chosen card, with the story next to it.
function rest() {
  found(WHOLE)?.click();
  document.dispatchEvent(new CustomEvent("explorer:choose", { detail: "" }));
}

/** @param {string} phase */
const opening = (phase) => (phase ? (root.dataset.opening = phase) : delete root.dataset.opening);

// Next to w's card, in the picture itself; without room, right above it.
/** @param {HTMLFormElement} form */
function place(form) {
  const card = found(CARD), scroller = found(".st-key-graph .scroller");
  if (!card || !scroller) return;
  const at = card.getBoundingClientRect(), frame = scroller.getBoundingClientRect();
  const right = frame.right - at.right - 2 * GAP, left = at.left - frame.left - 2 * GAP, beside = Math.max(right, left) >= NARROW;
  const home = beside ? scroller : document.body;
  if (form.parentElement !== home) home.append(form); // put there again, its field would lose the focus
  form.classList.toggle("is-above", !beside);
  form.style.maxWidth = `${Math.min(WIDE, beside ? (right >= NARROW ? right : left) : innerWidth - 2 * GAP)}px`;
  const { offsetWidth: width, offsetHeight: height } = form;
  if (beside) {
    const x = right >= NARROW ? at.right + GAP : at.left - GAP - width, top = at.top + (at.height - height) / 2;
    form.style.left = `${scroller.scrollLeft + x - frame.left}px`;
    form.style.top = `${scroller.scrollTop + Math.max(GAP, Math.min(top - frame.top, frame.height - height - GAP))}px`;
    return;
  }
  const middle = (at.left + at.right - width) / 2;
  form.style.left = `${Math.max(GAP, Math.min(middle, innerWidth - width - GAP))}px`;
  form.style.top = `${Math.max(GAP, Math.min(at.top - height - GAP, innerHeight - height - GAP))}px`;
}

// Asks for the last number of backward, and shows whether the answer was right.
/** @param {Data["words"]} words @param {number} answer @param {() => void} answered */
function ask(words, answer, answered) {
  const form = document.createElement("form"), field = document.createElement("input"), status = document.createElement("p");
  form.className = "asks";
  status.setAttribute("role", "status");
  status.textContent = words.asks;
  Object.assign(field, { inputMode: "decimal", autocomplete: "off", maxLength: 12, size: 5 });
  field.setAttribute("aria-label", words.asks);
  form.append(status, field);
  form.onsubmit = (event) => {
    event.preventDefault();
    if (!field.value.trim() || field.hidden) return;
    const guess = field.value.replace("\u2212", "-").replace(",", ".").replace(/\s/g, ""), number = Number(guess);
    const right = number === answer || /^(2\+3|3\+2)$/.test(guess);
    const product = number === 6 || /^[23][*·×][23]$/.test(guess), formula = /[a-z]/i.test(guess);
    const hint = number === 2 || number === 3 ? words.one : product ? words.product : formula ? words.formula : words.again;
    const again = !right && !form.classList.contains("is-wrong"); // one more try, with a hint
    status.textContent = (right ? words.right : again ? hint : words.wrong).replace("{guess}", field.value.trim());
    form.classList.toggle("is-right", right);
    form.classList.toggle("is-wrong", !right);
    field.value = "";
    field.hidden = !again;
    place(form);
    again ? field.focus({ preventScroll: true }) : answered();
  };
  place(form);
  field.focus({ preventScroll: true });
  return form;
}

// Presses the player's own buttons: starts empty, stops before the last number, and asks for it. Touching anything else
// than the player's button, track or keys shows the whole picture again.
/** @param {Data} data @returns {() => void} */
function playOnce({ words, asks }) {
  let since = Date.now(), begun = false;
  /** @type {HTMLFormElement | null} */
  let form = null;
  opening("empty");
  // Whether something has been so for a while.
  const lasts = (/** @type {boolean} */ now) => {
    if (!now) since = 0;
    else since ||= Date.now();
    return now && Date.now() - since >= STANDS;
  };
  const started = Date.now();
  const look = setInterval(() => {
    if (!begun) {
      if (Date.now() - started > PATIENCE) return over(); // nothing to play arrived: show everything
      const button = found(PLAYS);
      if (!lasts(Boolean(button?.offsetParent && found(".st-key-graph g.node") && !document.hidden))) return;
      stored("sessionStorage", PLAYED, "1");
      begun = true;
      pace(SLOW);
      found(BACK)?.click();
      found(PLAYS)?.click();
      opening("plays");
      return;
    }
    const at = Number(found(ENDED)?.ariaValueNow);
    if (at < asks.after) since = -1; // it runs
    else if (!form && since === -1) {
      if ("playing" in root.dataset) found(GO)?.click();
      opening("asks");
      const answered = () => {
        clearTimeout(alone);
        found(STEP)?.click(); // the number itself
        setTimeout(over, REWARD);
        setTimeout(rest, REWARD);
      };
      const alone = setTimeout(() => done || answered(), THINKS);
      form = ask(words, asks.answer, answered);
      addEventListener("scroll", moved, true);
      form.addEventListener("input", () => clearTimeout(alone));
    }
  }, LOOK);
  const touched = (/** @type {Event} */ event) => {
    if (!event.isTrusted || targetOf(event).closest?.(".asks, .door")) return;
    stored("sessionStorage", PLAYED, "1");
    const key = event instanceof KeyboardEvent, at = targetOf(event).closest?.(".player :is(.ctl, .track)");
    const own = key ? /^( |Arrow|Page|Home|End)/.test(event.key) : at;
    const playing = begun && "opening" in root.dataset;
    over();
    if (playing && !own) rest();
  };
  const moved = () => form && place(form); // the page scrolls below it
  let done = false;
  const over = () => {
    if (done) return;
    done = true;
    clearInterval(look);
    opening("");
    form?.remove();
    removeEventListener("scroll", moved, true);
    if (begun) pace(USUAL);
    for (const event of TOUCHES) removeEventListener(event, touched, true);
  };
  for (const event of TOUCHES) addEventListener(event, touched, true);
  return over;
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement }) {
  const { words, plays } = data;
  const door = part(parentElement, ".door");
  door.textContent = words.skip;
  door.onclick = () => {
    here.explorerOver?.();
    rest();
  };
  const here = /** @type {HTMLElement & { explorerOver?: () => void, explorerSeen?: boolean }} */ (door); // drawn again it plays on
  if (!here.explorerSeen) root.toggleAttribute("data-known", recent().length > 0); // and stays, even after it exists
  here.explorerSeen = true;
  if (plays && mayPlay()) here.explorerOver ??= playOnce(data);
  return (ended) => {
    if (ended) here.explorerOver?.();
  };
}
