// What keys, clicks and links do to the player.

import { targetOf } from "../dom.js";
import { chapterFrom, lineFrom, momentOf, runsOf } from "./line.js";

/** @typedef {import("./line.js").Line} Line */
/**
 * The player under a hand. `line`: null until the server sends it; `alone`: in a page of its own; `idle`: there is
 * nothing to play; `turn`: to another round, at rest, where there are rounds; `hide`: hides or shows everything; `values`:
 * shows what forward makes.
 * @typedef {{ k: number, line: Line | null, chapters: import("./line.js").NumberedChapter[], predicting: boolean, alone: boolean,
 *   idle: boolean, jump(k: number): void, toggle(): void, last(): void, forward(): void, back(): void, turn(by: number): boolean,
 *   hide(): void, values(): void }} Hand
 */

// The other keys while the player is in use: by line, by chapter, to an end.
/** @param {Hand} hand @param {KeyboardEvent} event */
function walked(hand, event) {
  const { line, k, jump } = hand;
  if (event.key === " ") return hand.toggle;
  if (event.key === "Home") return () => jump(1);
  if (event.key === "End") return hand.last;
  const by = event.key === "PageDown" ? 1 : event.key === "PageUp" ? -1 : 0;
  if (by && hand.turn(by)) return () => {};
  if (by > 0 && hand.predicting) return hand.values;
  if (!line || hand.predicting) return null;
  if (event.key === "PageDown") return () => jump(chapterFrom(hand.chapters, k, 1));
  if (event.key === "PageUp") return () => jump(chapterFrom(hand.chapters, k, -1));
  const runs = event.key === "l" || event.key === "L" ? runsOf(line, ...caret()) : [];
  return runs.length ? () => jump(runs[runs.length - 1]) : null;
}

// Cell and line of the editor's cursor.
/** @returns {[cell: number, line: number]} */
function caret() {
  const [cell = 0, line = 0] = (document.querySelector(".code-editor")?.dataset.caret ?? "").split(",").map(Number);
  return [cell, line];
}

const TYPING = "input:not([type='checkbox']), textarea, select, [contenteditable], [role='slider']:not(.track), [role='radiogroup']";

// Left and right step and H hides or shows everything, except while typing or moving between cards.
/** @param {Hand} hand @param {KeyboardEvent} event */
export function pressed(hand, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = targetOf(event);
  if (target.closest?.(TYPING)) return;
  if (event.key === "h" || event.key === "H") return hand.hide();
  const large = "present" in document.documentElement.dataset; // then a clicker's keys work as well
  if (event.key === " " && target.closest?.("button, summary, a, g.node, input")) return; // it presses that
  if (!large && target.closest?.("g.node")) return;
  const on = ["ArrowRight", ...(large ? ["PageDown"] : [])], before = ["ArrowLeft", ...(large ? ["PageUp"] : [])];
  const { line, jump } = hand, ways = [...on, ...before].includes(event.key);
  const used = hand.k > 0 || large || hand.alone || Boolean(target.closest?.(".player"));
  const act = !ways ? used && walked(hand, event)
    : event.shiftKey && line && !hand.predicting ? () => jump(lineFrom(line, hand.k, on.includes(event.key) ? 1 : -1))
    : on.includes(event.key) ? hand.forward : hand.back;
  if (!act || hand.idle) return;
  event.preventDefault();
  if (large || target.closest?.(".player")) event.stopImmediatePropagation();
  act();
}

// During playback, a click on a line of code or a card goes to its moment, and again to the next one.
/** @param {Hand} hand @param {MouseEvent} event */
export function pointed(hand, event) {
  const { line } = hand, target = targetOf(event);
  if (!line || hand.predicting || !event.isTrusted) return;
  const read = target.closest?.("[data-at]")?.dataset.at?.split(",").map(Number); // of a read-only program
  if (read) return again(hand, line, read[0], read[1]);
  if (!hand.k) return;
  const card = target.closest?.(".stage g.node")?.dataset.id;
  if (card && !target.closest(".grad, .gpart, .val, .rng, .opener")) {
    const to = momentOf(line, hand.k, card);
    return to && hand.jump(to);
  }
  const area = /** @type {HTMLTextAreaElement | null} */ (target.closest?.(".code-editor textarea") ?? null);
  if (!area || area.selectionStart !== area.selectionEnd) return;
  const cells = [...document.querySelectorAll(".code-editor textarea")];
  again(hand, line, cells.indexOf(area), area.value.slice(0, area.selectionStart).split("\n").length);
}

// To the next time that a line runs, after the last one to the first.
/** @param {Hand} hand @param {Line} line @param {number} cell @param {number} number */
function again(hand, line, cell, number) {
  const runs = runsOf(line, cell, number);
  const to = runs.find((one) => one > hand.k) ?? runs[0];
  if (to && to !== hand.k) hand.jump(to);
}

export const NAME = "moment"; // in the address

// The moment in the initial address, until the reader does something: its program may arrive late.
export function brought() {
  if (globalThis.explorerMoment === undefined) {
    globalThis.explorerMoment = Number(new URLSearchParams(location.search).get(NAME)) || 0;
    const forget = () => (globalThis.explorerMoment = 0);
    for (const event of ["keydown", "pointerdown"]) addEventListener(event, forget, { once: true, capture: true });
  }
  return globalThis.explorerMoment;
}
