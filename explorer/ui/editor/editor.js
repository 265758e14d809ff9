// The editor: a textarea per cell over its drawn text, bars and outputs between them. The browser owns the texts; the
// server replaces them only with a higher revision. One value, `edit`, has everything the server needs.

import { handles, reach } from "./handle.js";
import { askHelp, closeHelp, keepHelp } from "./help.js";
import { newHistory, record, restart, step } from "./history.js";
import { make, paint, press, toPoints, toUnits } from "../../drawing/notebook/paint.js";
import { hover, mark, point, under, written } from "./pointing.js";
import { COARSE, forget, listenForDrags, newHandle, nudge } from "./scrub.js";
import { send, settle, soon } from "./send.js";
import { comment, go, indent, INDENT, type } from "./typing.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Cell} Cell */
/** @typedef {import("./types").Place} Place */
/** @typedef {import("./types").CellData} CellData */

/** @param {State} state @param {CellData[]} cells @param {Place | null} at */
export function build(state, cells, at) {
  if (state.turn) forget(state);
  const old = new Map(state.cells.map((cell) => [cell.id, cell]));
  state.cells = cells.map(({ id, text }) => {
    const cell = old.get(id) ?? newCell(state, id);
    old.delete(id);
    if (text !== null) replaceText(state, cell, text);
    return cell;
  });
  old.forEach((cell) => cell.box.remove());
  if (state.at !== null && state.cells.every((cell) => !cell.box.isConnected)) {
    state.setStateValue("cell", (state.at = null)); // another program: the cursor is nowhere in it yet
  }
  state.cells.forEach(({ box }, i) => {
    const there = state.list.children[i];
    if (there !== box) state.list.insertBefore(box, there ?? null); // a textarea that is moved loses its focus
  });
  labelCells(state);
  if (at && state.cells[at[0]]) {
    const area = state.cells[at[0]].area;
    const lines = area.value.split("\n").slice(0, at[1]);
    const last = lines.pop() ?? "";
    const offset = lines.reduce((sum, text) => sum + text.length + 1, 0) + Math.min(toUnits(last, at[2]), last.length);
    area.focus();
    area.setSelectionRange(offset, offset);
  }
}

/** @param {State} state @param {number} id */
function newCell(state, id) {
  const cell = /** @type {Cell} */ ({ id, lines: /** @type {string[]} */ ([]), shown: {}, spans: /** @type {Span[]} */ ([]) });
  cell.faults = [];
  cell.idle = [];
  cell.history = newHistory();
  cell.box = make("section", "cell");
  cell.note = make("div", "note");
  cell.bar = make("div", "cellbar");
  cell.fold = press("fold", "▾", () => {
    const folded = cell.box.classList.toggle("is-folded");
    cell.fold.setAttribute("aria-expanded", String(!folded));
  });
  cell.fold.setAttribute("aria-expanded", "true");
  cell.title = make("span", "number");
  cell.status = make("span", "state");
  cell.run = press("runcell", "", () => send(state, { upto: state.cells.indexOf(cell), settled: true }));
  cell.add = press("addcell", "+", () => send(state, { act: { do: "insert", after: cell.id } }));
  cell.bar.append(cell.fold, cell.title, cell.status, cell.add, cell.run);
  cell.paint = make("div", "paint");
  cell.paint.setAttribute("aria-hidden", "true");
  cell.area = make("textarea");
  for (const [name, value] of Object.entries({ spellcheck: "false", wrap: "off", autocomplete: "off" }))
    cell.area.setAttribute(name, value);
  cell.area.autocapitalize = "off";
  cell.area.setAttribute("autocorrect", "off");
  cell.area.setAttribute("aria-description", state.words.leave);
  const pad = make("div", "pad");
  cell.handle = newHandle(state, cell);
  pad.append(cell.paint, cell.area, cell.handle);
  cell.outs = make("div", "outs");
  cell.box.append(cell.note, cell.bar, pad, cell.outs);
  listen(state, cell);
  listenForDrags(state, cell);
  return cell;
}

// Also after a change of the language.
/** @param {State} state */
export function labelCells(state) {
  const { words } = state;
  state.root.classList.toggle("is-single", state.cells.length === 1 && !state.notes);
  state.cells.forEach((cell, i) => {
    cell.title.textContent = `${i + 1}`;
    cell.area.setAttribute("aria-label", state.cells.length > 1 ? `${words.cell} ${i + 1}` : words.program);
    cell.fold.setAttribute("aria-label", words.fold);
    cell.add.setAttribute("aria-label", (cell.add.title = words.add));
    [cell.run.textContent, cell.run.title] = [words.run, words.runHint];
  });
}

// Another text from outside, as one step of undo.
/** @param {State} state @param {Cell} cell @param {string} text */
export function replaceText(state, cell, text) {
  const area = cell.area;
  if (area.value !== text) {
    const focused = /** @type {HTMLElement | null} */ (document.activeElement);
    let head = 0;
    while (head < text.length && text[head] === area.value[head]) head++;
    let tail = 0;
    const most = Math.min(text.length, area.value.length) - head;
    while (tail < most && text.at(-1 - tail) === area.value.at(-1 - tail)) tail++;
    state.quiet = true;
    const begins = !area.isConnected || !(area.value || cell.history.past.length);
    if (area.isConnected && area.value) {
      area.focus({ preventScroll: true });
      area.setSelectionRange(head, area.value.length - tail);
      const piece = text.slice(head, text.length - tail);
      document.execCommand(piece ? "insertText" : "delete", false, piece);
      if (focused !== area) focused?.focus?.({ preventScroll: true });
    }
    if (area.value !== text) area.value = text;
    if (begins) restart(cell);
    else record(cell);
    state.quiet = false;
  }
  paint(cell);
}

/** @param {State} state @param {Cell} cell */
function listen(state, cell) {
  const { area } = cell;
  area.addEventListener("input", (/** @type {Event} */ given) => {
    const event = /** @type {InputEvent} */ (given);
    cell.typed = !state.quiet;
    if (!event.isComposing) record(cell, event.inputType);
    paint(cell);
    mark(state);
    handles(state);
    if (state.quiet || event.isComposing) return;
    settle(state);
    soon(state);
  });
  area.addEventListener("compositionstart", () => {
    state.composing = true;
    clearTimeout(state.timer);
  });
  area.addEventListener("compositionend", () => {
    state.composing = false;
    record(cell);
    paint(cell);
    soon(state);
  });
  area.addEventListener("beforeinput", (event) => {
    if (!/^history(Undo|Redo)$/.test(event.inputType)) return; // of a menu
    event.preventDefault();
    step(cell, event.inputType === "historyRedo");
  });
  area.addEventListener("pointerdown", () => (cell.typed = false), { passive: true });
  slides(state, cell);
  area.addEventListener("keydown", (event) => key(state, cell, event));
  area.addEventListener("paste", (event) => paste(state, cell, event));
  area.addEventListener("focus", () => enter(state, cell));
  area.addEventListener("blur", () => {
    cell.box.classList.remove("is-now");
    cell.history.open = ""; // what is typed later is another step of undo
    keepHelp(state);
    handles(state);
    written(state);
  });
  // The hint how to leave by keyboard is for users who arrive by keyboard, or press Tab.
  let byPointer = false;
  const markKeys = (/** @type {boolean} */ byKeys) => document.documentElement.toggleAttribute("data-by-keys", byKeys);
  area.addEventListener("pointerdown", () => markKeys(!(byPointer = true)), { passive: true });
  area.addEventListener("focus", () => markKeys(!byPointer));
  area.addEventListener("blur", () => markKeys((byPointer = false)));
  area.addEventListener("keydown", (event) => event.key === "Tab" && markKeys(true));
  area.addEventListener("mousemove", (event) => hover(state, cell, event), { passive: true });
  area.addEventListener("mouseleave", () => (point(state, null, "hover"), under(state)), { passive: true });
}

// The drawn text follows the textarea's horizontal scrolling.
/** @param {State} state @param {Cell} cell */
function slides(state, cell) {
  const { area } = cell;
  const scrolled = () => {
    cell.paint.style.setProperty("--x", `${-area.scrollLeft}px`);
    handles(state);
  };
  area.addEventListener("scroll", scrolled, { passive: true });
}

/** @param {State} state @param {Cell} cell */
function enter(state, cell) {
  if (state.quiet) return;
  state.leaving = false;
  state.cells.forEach((other) => other.box.classList.toggle("is-now", other === cell));
  const i = state.cells.indexOf(cell);
  if (state.cells.length > 1 && state.at !== i) state.setStateValue("cell", (state.at = i));
}

/** @param {State} state @param {Cell} cell @param {KeyboardEvent} event */
function key(state, cell, event) {
  if (event.isComposing) return;
  const { area } = cell;
  const i = state.cells.indexOf(cell);
  const [from, to, text] = [area.selectionStart, area.selectionEnd, area.value];
  const leaving = state.leaving;
  state.leaving = event.key === "Escape" || (leaving && event.key === "Shift");
  if (state.leaving) handles(state); // the caret may have moved just now: Tab leads to the number after it
  const done = () => event.preventDefault();
  reach(state, cell, null);
  if (/^(Arrow|Home|End|Page)/.test(event.key)) cell.typed = false;
  if (event.altKey && /^Arrow(Up|Down)$/.test(event.key) && !event.ctrlKey && !event.metaKey) {
    if (nudge(state, cell, (event.key === "ArrowUp" ? 1 : -1) * (event.shiftKey ? COARSE : 1))) done();
  } else if (event.key === "Escape" && closeHelp(state)) {
    done();
    state.leaving = false;
  } else if (event.key === "Tab" && event.shiftKey && !leaving && askHelp(state, cell)) {
    done();
  } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    done();
    send(state, { settled: true });
  } else if (event.key === "Enter" && event.shiftKey && state.cells.length > 1) {
    done();
    send(state, { upto: i, settled: true });
    state.cells[i + 1]?.area.focus();
  } else if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
    done();
    const start = text.lastIndexOf("\n", from - 1) + 1;
    const head = text.slice(start, from);
    const deeper = /:\s*(#.*)?$/.test(head) ? INDENT : "";
    type(area, `\n${/^[ \t]*/.exec(head)?.[0]}${deeper}`);
  } else if (event.key === "Tab" && !leaving) {
    done();
    indent(area, event.shiftKey);
  } else if (event.key === "/" && (event.ctrlKey || event.metaKey)) {
    done();
    comment(area);
  } else if (/^[zy]$/i.test(event.key) && (event.ctrlKey || event.metaKey) && !event.altKey) {
    done();
    step(cell, event.shiftKey || event.key.toLowerCase() === "y");
  } else if (event.key === "Backspace" && i > 0 && from === 0 && to === 0) {
    done();
    join(state, i);
  } else if (event.key === "ArrowUp" && from === to && i > 0 && !text.slice(0, from).includes("\n")) {
    done();
    go(state.cells[i - 1].area, Infinity);
  } else if (event.key === "ArrowDown" && from === to && state.cells[i + 1] && !text.slice(to).includes("\n")) {
    done();
    go(state.cells[i + 1].area, 0);
  }
}

/** @param {State} state @param {number} i */
function join(state, i) {
  const [above, cell] = [state.cells[i - 1], state.cells[i]];
  const end = above.area.value.length;
  const text = cell.area.value;
  above.area.focus();
  type(above.area, text && above.area.value ? `\n${text}` : text, end, end);
  const at = Math.min(end + (text && end ? 1 : 0), above.area.value.length);
  above.area.setSelectionRange(at, at);
  state.cells.splice(i, 1);
  cell.box.remove();
  labelCells(state);
  send(state, { settled: true });
}

/** @param {State} state @param {Cell} cell @param {ClipboardEvent} event */
function paste(state, cell, event) {
  const text = event.clipboardData?.getData("text/plain").replace(/\r\n?/g, "\n") ?? "";
  if (!/[\n\u3000-\u303f\uff01-\uff5e\u2018-\u201d]/.test(text)) return; // one plain line is never cleaned
  const start = cell.area.selectionStart;
  const points = toPoints(cell.area.value, start);
  setTimeout(() => {
    clearTimeout(state.timer);
    send(state, { act: { do: "paste", cell: state.cells.indexOf(cell), start: points, text }, settled: true });
  });
}
