// The editor and the rest of the page: shows the server's answer, and listens to other parts.

import { part } from "../../drawing/dom.js";
import { drops } from "./drop.js";
import { build, labelCells } from "./editor.js";
import { listenForAnswers } from "./follow.js";
import { handles } from "./handle.js";
import { helped, keepHelp } from "./help.js";
import { arrived, keepNow, keepSoon, typeUnsent, undoes } from "./keeping.js";
import { besides, make, press, textOf } from "../../drawing/notebook/paint.js";
import { mark, point, pointed, written } from "./pointing.js";
import { escapes, turnFrom } from "./scrub.js";
import { cursor, lengths, send, settle, timed, typedSince } from "./send.js";
import { type } from "./typing.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Cell} Cell */
/** @typedef {import("./types").Frame} Frame */
/** @typedef {import("./types").Shown} Shown */
/** @typedef {import("./types").CellData} CellData */
/** @typedef {import("./types").Data} Data */
/** @typedef {import("./types").Typed} Typed */

const kept = (globalThis.explorerOutputs ??= new Map()); // HTML of notes and outputs by key: sent once

/** @param {State} state */
function moved(state) {
  if (state.turn) return;
  keepHelp(state);
  handles(state);
  written(state);
  const at = cursor(state);
  if (!at) return;
  state.root.dataset.caret = String(at.slice(0, 2));
  point(state, at, "caret");
  if (state.typing && String(at.slice(0, 2)) !== state.line) send(state, { settled: true });
  state.line = String(at.slice(0, 2));
}

// Puts stored HTML in place if it has changed.
/** @param {Frame} cell @param {keyof Shown} side @param {string} key */
function fill(cell, side, key) {
  if (cell.shown[side] === key) return;
  cell.shown[side] = key;
  const element = side === "note" ? cell.note : cell.outs;
  element.innerHTML = kept.get(key) ?? ""; // made by the server, every text of the program escaped
  if (side === "note") element.classList.remove("is-long", "is-open");
}

/** @param {State} state @param {Cell} cell */
function shorten(state, cell) {
  if (!cell.shown.note || cell.note.classList.contains("is-long") || cell.note.scrollHeight < 260) return;
  cell.note.classList.add("is-long");
  const more = press("more", state.words.more, () => {
    const open = cell.note.classList.toggle("is-open");
    more.textContent = open ? state.words.less : state.words.more;
  });
  cell.note.append(more);
}

/** @param {State} state @param {CellData[]} cells @param {boolean} fresh */
function results(state, cells, fresh) {
  cells.forEach((shown, i) => {
    const cell = state.cells[i];
    if (cell?.id !== shown.id) return;
    cell.status.textContent = shown.status;
    cell.status.className = `state ${shown.state}`;
    cell.box.classList.toggle("is-unrun", shown.state === "unrun");
    fill(cell, "note", shown.note);
    fill(cell, "outs", shown.outs);
    shorten(state, cell);
    if (!fresh) return;
    cell.spans = shown.spans;
    cell.idle = shown.idle;
    cell.faults = shown.faults;
    cell.hints = shown.hints;
    cell.ghosts = shown.ghosts;
    besides(cell, shown.ghosts, shown.faults, shown.hints);
    const marked = String(shown.marks), last = shown.marks.at(-1);
    for (const kind of ["changed", "parting"]) {
      const lines = new Set(shown.marks.filter((mark) => mark[1] === kind).map((mark) => mark[0]));
      [...cell.paint.children].forEach((row, k) => row.classList.toggle(`is-${kind}`, lines.has(k + 1)));
    }
    if (last && cell.marked !== marked) seen(state, cell.paint.children[last[0] - 1]);
    cell.marked = marked;
    cell.area.setAttribute("aria-invalid", String(shown.faults.length > 0));
    const remarks = [...shown.faults, ...shown.hints].map((fault) => fault[4]);
    cell.area.setAttribute("aria-description", [...remarks, state.words.leave].join("; "));
  });
}

// While a timeline moves, the line ends are its picture's, except after the user has typed.
/** @param {State} state @param {Framed | null} framed */
function film(state, framed) {
  if (!framed || framed.by || state.sentLengths !== lengths(state)) return;
  state.cells.forEach((cell, i) => framed.beside[i] && besides(cell, framed.beside[i], cell.faults, cell.hints ?? []));
}

// At a step of the player: the running line, line ends and outputs so far, and results whose gradient is pending.
/** @param {State} state @param {Stepped | null} step */
function waits(state, step) {
  const before = state.step;
  state.step = step;
  const lines = new Set(step?.lines.map(String)), now = String(step?.at ?? "");
  state.cells.forEach((cell, i) => {
    if ((step?.beside || before?.beside) && state.sentLengths === lengths(state))
      besides(cell, step?.beside ? (step.beside[i] ?? []) : (cell.ghosts ?? []), cell.faults, cell.hints ?? []);
    shownSoFar(cell, i, step?.out ?? null);
    [...cell.paint.children].forEach((line, k) => {
      line.classList.toggle("is-waiting", lines.has(`${i},${k + 1}`));
      const runs = now === `${i},${k + 1}`;
      if (runs && !line.classList.contains("is-running"))
        requestAnimationFrame(() => line.classList.contains("is-running") && seen(state, line)); // once all of the page has changed
      line.classList.toggle("is-running", runs);
    });
  });
}

// Scrolls the program's own pane, never the page, as little as shows a line.
/** @param {State} state @param {Element} line */
function seen(state, line) {
  const pane = state.root.closest(".st-key-program") ?? state.root, clear = 48;
  if (pane.scrollHeight <= pane.clientHeight + 1) return;
  const at = line.getBoundingClientRect(), frame = pane.getBoundingClientRect();
  if (at.top < frame.top + clear) pane.scrollTop += at.top - frame.top - clear;
  else if (at.bottom > frame.bottom - clear) pane.scrollTop += at.bottom - frame.bottom + clear;
}

// With several cells, earlier ones show all their output and later ones none.
/** @param {Cell} cell @param {number} i @param {Stepped["out"] | null} out */
function shownSoFar(cell, i, out) {
  const partly = out && (i > out[0] || (i === out[0] && !out[2])), old = cell.outs.nextElementSibling;
  cell.outs.classList.toggle("is-later", Boolean(partly));
  if (old?.classList.contains("so-far")) old.remove();
  if (!partly || i > out[0] || !out[1] || !cell.outs.childElementCount) return;
  const made = make("div", "outs so-far");
  made.innerHTML = out[1]; // made by the server, every text of the program escaped
  cell.outs.after(made);
}

// Plots are the page's own elements: each is laid over the empty place that waits for it among the outputs.
/** @param {State} state */
function seat(state) {
  const pane = state.root.closest(".st-key-program");
  const places = state.root.querySelectorAll(".figure");
  if (!pane || !places.length) return;
  const top = pane.getBoundingClientRect().top - pane.scrollTop;
  for (const place of places) {
    const drawn = pane.querySelector(`.st-key-figure-${place.dataset.figure}`);
    if (!drawn) continue;
    const height = `${drawn.offsetHeight}px`;
    if (place.style.height !== height) place.style.height = height;
    const folded = place.offsetParent === null;
    drawn.style.visibility = folded ? "hidden" : "";
    if (!folded) drawn.style.top = `${Math.round(place.getBoundingClientRect().top - top)}px`;
  }
}

// iOS magnifies the page when a text below 16 px gets the focus, unless the page sets a maximum scale. There fingers can
// still zoom; elsewhere they could not.
function keepScale() {
  const viewport = /** @type {HTMLMetaElement | null} */ (document.querySelector('meta[name="viewport"]'));
  if (!CSS.supports("-webkit-touch-callout", "none") || !viewport) return;
  if (!/maximum-scale/.test(viewport.content)) viewport.content += ", maximum-scale=1";
}

/** @param {HTMLElement} root @param {State["setStateValue"]} setStateValue @param {Data} data @returns {State} */
function start(root, setStateValue, data) {
  keepScale();
  const state = /** @type {State} */ ({
    list: make("div", "cells"), past: new Map(), unanswered: [], divided: -1, end: { note: make("div", "note"), outs: make("div"), shown: {} }, live: make("div", "live"),
    root, setStateValue, words: data.words, most: data.most, cells: [], revision: -1, count: 0, lit: { hover: [], select: [] },
    key: "", before: "", redo: "", undone: "", asOpened: "", pointed: {}, typing: false, notes: false, at: null, sent: -Infinity, took: 0, timed: 0, answered: null, apart: data.apart,
  });
  state.live.setAttribute("role", "status"); // read aloud, not shown
  root.append(state.list, state.end.note, state.live);
  return state;
}

// A session without this text has replaced the old one, because the server was restarted or another one answers.
// Revisions only grow, and a session that got an edit sends no texts under its revision.
/** @param {State} state @param {Data} data */
const ofAnother = (state, data) =>
  state.revision >= 0 && data.count === null && data.revision <= state.revision &&
  data.cells.every((cell) => cell.text !== null) &&
  (data.revision < state.revision || data.cells.map((cell) => cell.text).join("\0") !== state.cells.map((cell) => textOf(cell)).join("\0"));

/** @param {State} state @param {Typed} typed */
function typeAgain(state, { piece, before, after, begins }) {
  const area = state.cells.find((cell) => cell.area === document.activeElement)?.area;
  if (!area) return;
  const at = area.selectionStart;
  const inside = begins && !"\n".includes(area.value.slice(0, at).slice(-1)); // pasted text lost its last end of line
  type(area, inside ? `\n${piece}` : piece, Math.max(0, at - before), Math.min(area.value.length, at + after));
}

/** @param {Page<Data>} page @returns {Stop | void} */
export function mount({ data, parentElement, setStateValue }) {
  const root = /** @type {HTMLElement & { explorer?: State }} */ (part(parentElement, ".code-editor"));
  const state = (root.explorer ??= start(root, setStateValue, data));
  state.setStateValue = setStateValue;
  state.words = data.words;
  for (const [key, html] of Object.entries(data.html)) kept.set(key, html);
  if (ofAnother(state, data)) {
    state.revision = data.revision;
    send(state, { settled: true, origin: state.origin });
    return;
  }
  if (state.origin?.key !== data.origin.key) keepNow(state);
  state.origin = { ...state.origin, ...data.origin };
  const keys = data.cells.flatMap((cell) => [cell.note, cell.outs]).concat(data.end).filter(Boolean);
  const texts = state.revision === data.revision || data.cells.every((cell) => cell.text !== null);
  if (!texts || keys.some((key) => !kept.has(key))) {
    state.revision = -1;
    setStateValue("edit", { count: Date.now(), revision: -1, cells: [], act: null, have: [] });
    return;
  }
  if (state.act && (state.revision !== data.revision || data.acted >= state.act.count)) state.act = null;
  state.notes = data.cells.some((cell) => cell.note) || Boolean(data.end);
  let unsent = false;
  if (state.revision !== data.revision) {
    const typed = typedSince(state, data.of);
    state.revision = data.revision;
    state.divided = Math.max(state.divided, data.of);
    build(state, data.cells, data.focus);
    state.sentLengths = lengths(state);
    state.known = state.cells.map(textOf);
    state.unanswered = [];
    arrived(state);
    unsent = typeUnsent(state);
    if (typed && data.focus) typeAgain(state, typed);
  } else labelCells(state);
  const answers = data.count === null || data.count === state.count || state.count === 0;
  const fresh = answers && state.sentLengths === lengths(state);
  if (fresh) state.typing = data.typing;
  if (data.count === state.count) {
    timed(state);
    state.known = state.gone ?? state.known;
    state.unanswered = [];
  }
  if (data.count !== null) state.answered = data.count;
  results(state, data.cells, fresh && !data.before && !state.composing);
  if (state.step) waits(state, state.step);
  fill(state.end, "note", data.end);
  mark(state);
  requestAnimationFrame(() => handles(state));
  settle(state);
  if (data.ask && state.ran !== data.revision) send(state, { settled: true });
  if (unsent) send(state);
  keepSoon(state);
  seat(state);
  const later = () => seat(state);
  const sizes = new ResizeObserver(later);
  sizes.observe(state.list);
  const pane = root.closest(".st-key-program");
  for (const drawn of pane?.querySelectorAll("[class*='st-key-figure-']") ?? []) sizes.observe(drawn);
  const added = new MutationObserver(later);
  if (pane) added.observe(pane, { childList: true, subtree: false });
  const unlisten = listenForAnswers(state), left = new AbortController(), { signal } = left;
  drops(state, signal);
  document.addEventListener("explorer:drawn", () => timed(state), { signal });
  document.addEventListener("selectionchange", () => moved(state), { signal });
  document.addEventListener("explorer:step", ({ detail }) => waits(state, detail), { signal });
  document.addEventListener("explorer:frame", ({ detail }) => film(state, detail), { signal });
  document.addEventListener("explorer:point", ({ detail }) => state.apart || pointed(state, detail), { signal });
  document.addEventListener("explorer:helped", ({ detail }) => helped(state, detail), { signal });
  document.addEventListener("explorer:turn", ({ detail }) => turnFrom(state, detail), { signal });
  addEventListener("pagehide", () => keepNow(state), { signal });
  addEventListener("resize", () => handles(state), { signal }); // also for a larger print size
  const pressed = (/** @type {KeyboardEvent} */ event) => {
    escapes(state, event);
    undoes(state, event);
  };
  document.addEventListener("keydown", pressed, { signal, capture: true });
  return (ended) => {
    if (ended) keepNow(state);
    unlisten();
    left.abort();
    sizes.disconnect();
    added.disconnect();
  };
}
