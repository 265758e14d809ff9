// Turning numbers by dragging. Meanwhile the cell shows a draft, which runs; the textarea gets the result at the end in
// one edit, which is one step of its undo.

import { follow } from "./follow.js";
import { handles, reach } from "./handle.js";
import { turnable, valueOf, writtenAs } from "./numbers.js";
import { make, paint, toUnits } from "../../drawing/notebook/paint.js";
import { mark, placeUnder } from "./pointing.js";
import { placeOfTurn } from "./send.js";
import { atCaret, boxOf, numberIn, under } from "./spots.js";
import { type } from "./typing.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Cell} Cell */
/** @typedef {import("./types").Token} Token */
/** @typedef {import("./types").Turnable} Turnable */
/** @typedef {import("./types").Turn} Turn */

const TRAVEL = 3; // px of the pointer for one step
const SLOP = 4; // px before a press is a drag
const FINGER = 8; // px around a number that a finger may miss it by
export const COARSE = 10; // steps at once with Shift
const REST = 700; // ms after the last key on the handle until its number is written
const HOLD = 350; // ms after which a finger that rested selects text, as anywhere

/** @param {State} state @param {Cell} cell @param {Token} token @param {Turn["by"]} by @param {boolean} [touched] */
function begin(state, cell, token, by, touched = false) {
  const text = cell.area.value;
  const number = turnable(text, token);
  state.turn = { cell, number, text, by, units: number.units, piece: text.slice(number.from, number.to), touched };
  state.root.classList.toggle("is-scrubbing", by === "pointer");
  clearTimeout(state.settling);
}

/** @param {State} state @param {bigint} units */
function turnTo(state, units) {
  const { turn } = state;
  if (!turn || units === turn.units) return;
  turn.units = units;
  turn.piece = writtenAs(turn.number, units);
  draft(state, turn.cell, turn.text.slice(0, turn.number.from) + turn.piece + turn.text.slice(turn.number.to));
  const was = valueOf(turn.number, turn.number.units), value = valueOf(turn.number, units);
  document.dispatchEvent(new CustomEvent("explorer:turned", { detail: { place: placeOfTurn(state, turn), was, value } }));
  follow(state, false);
}

/** @param {State} state @param {Cell} cell @param {string} text */
function draft(state, cell, text) {
  cell.draft = text;
  paint(cell);
  mark(state);
  handles(state);
}

// Escape, with any focus, restores the number under the pointer.
/** @param {State} state @param {KeyboardEvent} event */
export function escapes(state, event) {
  if (event.key !== "Escape" || !state.turn || state.turn.by === "handle") return;
  event.preventDefault();
  event.stopPropagation();
  end(state, false);
}

// Turns a number from another part of the page: the one of a span with this value.
/** @param {State} state @param {Turning} asked */
export function turnFrom(state, { span, was, entry, to, steps = 0, over }) {
  if (over !== undefined) {
    if (state.turn?.by === "plot") end(state, over);
    return;
  }
  const cell = state.cells[span[0]];
  const token = !state.turn && cell && numberIn(cell, span, was, entry);
  if (token) begin(state, cell, token, "plot");
  if (state.turn?.by !== "plot") return;
  const { number, units } = state.turn;
  turnTo(state, to === undefined ? units + BigInt(steps) : BigInt(Math.round(to / valueOf(number, 1n))));
}

// The text was replaced while a number was turned.
/** @param {State} state */
export function forget(state) {
  clearTimeout(state.resting);
  if (state.turn) state.turn.cell.draft = undefined;
  state.turn = state.wanted = null;
  state.root.classList.remove("is-scrubbing");
}

// Writes the number into the program, or leaves the program as it was.
/** @param {State} state @param {boolean} keep */
function end(state, keep) {
  const { turn } = state;
  if (!turn) return;
  const { cell, number, text, piece } = turn;
  clearTimeout(state.resting);
  const moved = cell.draft !== undefined;
  cell.draft = undefined;
  state.root.classList.remove("is-scrubbing");
  if (keep && piece !== text.slice(number.from, number.to)) write(state, turn);
  else paint(cell);
  state.turn = null;
  mark(state);
  handles(state);
  if (moved) follow(state, true);
}

// One edit for undo; focus and cursor stay in place.
/** @param {State} state @param {Turn} turn */
function write(state, { cell: { area }, number, piece, by, touched: finger }) {
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  const grown = piece.length - (number.to - number.from);
  const behind = number.from + piece.length;
  const shifted = (/** @type {number} */ at) => (at <= number.from ? at : at >= number.to ? at + grown : Math.min(at, behind));
  const [left, right] = focused === area ? [area.selectionStart, area.selectionEnd].map(shifted) : [behind, behind];
  const stays = focused === area || by === "pointer";
  const touched = finger && focused !== area;
  state.quiet = true;
  if (touched) area.inputMode = "none"; // a finger that turned a number did not ask for a keyboard
  area.focus({ preventScroll: true });
  type(area, piece, number.from, number.to);
  area.setSelectionRange(left, right);
  if (touched) area.blur();
  else if (!stays) focused?.focus?.({ preventScroll: true });
  if (touched) area.inputMode = "";
  state.quiet = false;
}

// Steps the number at the cursor, each an undo step. False without a number.
/** @param {State} state @param {Cell} cell @param {number} steps */
export function nudge(state, cell, steps) {
  const token = atCaret(cell);
  if (!token) return false;
  const { area } = cell;
  const number = turnable(area.value, token);
  const piece = writtenAs(number, number.units + BigInt(steps));
  const behind = token.end - area.selectionStart;
  type(area, piece, number.from, number.to);
  const tail = piece.endsWith(")") && number.wrapped ? 1 : 0;
  const caret = Math.max(number.from, number.from + piece.length - tail - behind);
  area.setSelectionRange(caret, caret);
  cell.typed = false;
  follow(state, false);
  return true;
}

/** @param {State} state @param {Cell} cell */
export function newHandle(state, cell) {
  const handle = make("span", "handle");
  handle.tabIndex = 0;
  const bounds = { "aria-valuemin": -Number.MAX_SAFE_INTEGER, "aria-valuemax": Number.MAX_SAFE_INTEGER };
  const attributes = { role: "slider", "aria-orientation": "horizontal", ...bounds };
  for (const [name, value] of Object.entries(attributes)) handle.setAttribute(name, String(value));
  handle.addEventListener("focus", () => handles(state));
  handle.addEventListener("blur", () => setTimeout(() => (state.turn?.by === "handle" ? end(state, true) : handles(state))));
  handle.addEventListener("keydown", (event) => {
    const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: COARSE, PageDown: -COARSE }[event.key];
    if (step) {
      if (!state.turn && cell.token) begin(state, cell, cell.token, "handle");
      const coarse = event.shiftKey && Math.abs(step) === 1 ? COARSE : 1;
      if (state.turn) turnTo(state, state.turn.units + BigInt(step * coarse));
      clearTimeout(state.resting);
      state.resting = setTimeout(() => state.turn?.by === "handle" && end(state, true), REST);
    } else if ((event.key === "Enter" || event.key === "Escape") && state.turn) end(state, event.key === "Enter");
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return handle;
}

// Pressing a number and moving sideways turns it; a press without moving places the cursor.
/** @param {State} state @param {Cell} cell */
export function listenForDrags(state, cell) {
  const { area } = cell;
  /** @type {{ token: Token, finger: boolean, x: number, y: number, at: number } | null} */
  let press = null;
  const offsetAt = (/** @type {Token} */ { start, end: stop }, /** @type {number} */ x) => {
    const box = boxOf(cell, start, stop);
    const part = box && box.width ? (x - box.left) / box.width : 1;
    return start + Math.round(Math.min(1, Math.max(0, part)) * (stop - start));
  };
  area.addEventListener("pointerdown", (event) => {
    press = null;
    if (!event.isPrimary || event.button || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    if (state.turn) end(state, true);
    const finger = event.pointerType === "touch";
    const token = under(cell, event, finger ? FINGER : 1);
    if (token && !state.composing) press = { token, finger, x: event.clientX, y: event.clientY, at: event.timeStamp };
  });
  area.addEventListener("mousedown", (event) => {
    if (!press || press.finger) return;
    if (event.detail === 1) event.preventDefault(); // no selection begins here
    else press = null;
  });
  area.addEventListener("pointermove", (event) => {
    if (!press) {
      if (event.pointerType === "mouse" && !event.buttons) reach(state, cell, under(cell, event));
      return;
    }
    const rested = press.finger && !state.turn && event.timeStamp - press.at > HOLD;
    if (rested || !event.buttons) {
      press = null;
      if (state.turn?.by === "pointer") end(state, true); // it was let go outside the window
      return;
    }
    const across = event.clientX - press.x;
    const down = Math.abs(event.clientY - press.y);
    if (!state.turn) {
      if (down > 2 * SLOP && down > Math.abs(across)) return void leave(event, press);
      if (Math.abs(across) < SLOP) return;
      area.setPointerCapture(event.pointerId);
      begin(state, cell, press.token, "pointer", press.finger);
    }
    const steps = Math.trunc(across / TRAVEL) * (event.shiftKey ? COARSE : 1);
    const { turn } = state;
    if (turn) turnTo(state, turn.number.units + BigInt(steps));
  });
  // Downwards from a number: a selection, or a finger that scrolls.
  const leave = (/** @type {PointerEvent} */ event, /** @type {{ token: Token, finger: boolean, x: number }} */ left) => {
    if (!left.finger) {
      area.focus();
      selecting = offsetAt(left.token, left.x);
      area.setPointerCapture(event.pointerId);
      select(event, selecting);
    }
    press = null;
  };
  /** @type {number | null} */
  let selecting = null;
  const select = (/** @type {PointerEvent} */ event, /** @type {number} */ from) => {
    const { line, column } = placeUnder(cell, event);
    const all = area.value.split("\n");
    const before = all.slice(0, Math.max(0, line)).reduce((sum, text) => sum + text.length + 1, 0);
    const to = Math.min(area.value.length, before + toUnits(all[Math.max(0, line)] ?? "", column));
    area.setSelectionRange(Math.min(from, to), Math.max(from, to), to < from ? "backward" : "forward");
  };
  area.addEventListener("pointermove", (event) => selecting !== null && select(event, selecting));
  area.addEventListener("pointerup", (event) => {
    const pressed = press;
    selecting = null;
    if (state.turn?.by === "pointer") end(state, true);
    else if (pressed && !pressed.finger && event.pointerType !== "touch") {
      const offset = offsetAt(pressed.token, event.clientX);
      area.focus();
      area.setSelectionRange(offset, offset);
    }
    press = null;
  });
  area.addEventListener("pointercancel", () => {
    press = selecting = null;
    if (state.turn?.by === "pointer") end(state, false);
  });
  area.addEventListener("pointerleave", () => reach(state, cell, null));
  area.addEventListener("contextmenu", () => (press = null)); // a long press selects
  area.addEventListener(
    "touchmove",
    (event) => {
      if (!press?.finger || event.touches.length > 1) return;
      if (!state.turn && event.timeStamp - press.at > HOLD) return;
      const { clientX, clientY } = event.touches[0];
      if (state.turn || Math.abs(clientX - press.x) > Math.abs(clientY - press.y)) event.preventDefault();
    },
    { passive: false },
  );
}
