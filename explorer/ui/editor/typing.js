// Typing in a textarea: every change as the keyboard would make it, so that undo knows it.

import { toPoints } from "../../drawing/notebook/paint.js";

export const INDENT = "    ";

// Replaces the selection or another part.
/** @param {HTMLTextAreaElement} area @param {string} text @param {number} [from] @param {number} [to] */
export function type(area, text, from = area.selectionStart, to = area.selectionEnd) {
  area.setSelectionRange(from, to);
  if (!document.execCommand(text ? "insertText" : "delete", false, text)) area.setRangeText(text, from, to, "end");
}

/** @param {HTMLTextAreaElement} area @returns {[line: number, column: number]} */
export function place(area) {
  const before = area.value.slice(0, area.selectionDirection === "backward" ? area.selectionStart : area.selectionEnd);
  const start = before.lastIndexOf("\n") + 1;
  return [before.split("\n").length, toPoints(before.slice(start), before.length - start)];
}

/** @param {HTMLTextAreaElement} area @param {number} offset */
export function go(area, offset) {
  area.focus();
  area.setSelectionRange(offset, offset);
}

// The whole lines that are selected, replaced as one step.
/** @param {HTMLTextAreaElement} area @param {(lines: string[]) => string[]} change */
function lines(area, change) {
  const [from, to, text] = [area.selectionStart, area.selectionEnd, area.value];
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const found = text.indexOf("\n", to > from && text[to - 1] === "\n" ? to - 1 : to);
  const end = found < 0 ? text.length : found;
  const made = change(text.slice(start, end).split("\n")).join("\n");
  if (made === text.slice(start, end)) return;
  type(area, made, start, end);
  const several = made.includes("\n");
  const moved = Math.max(start, to + made.length - (end - start));
  area.setSelectionRange(several ? start : moved, several ? start + made.length : moved);
}

/** @param {HTMLTextAreaElement} area @param {boolean} back */
export function indent(area, back) {
  if (back) lines(area, (all) => all.map((line) => line.replace(/^( {1,4}|\t)/, "")));
  else if (area.value.slice(area.selectionStart, area.selectionEnd).includes("\n"))
    lines(area, (all) => all.map((line) => (line ? INDENT + line : line)));
  else {
    const column = area.selectionStart - area.value.lastIndexOf("\n", area.selectionStart - 1) - 1;
    type(area, " ".repeat(4 - (column % 4)));
  }
}

/** @param {HTMLTextAreaElement} area */
export function comment(area) {
  lines(area, (all) => {
    const off = all.filter((line) => line.trim()).every((line) => /^\s*#/.test(line));
    const turned = (/** @type {string} */ line) => (off ? line.replace(/^(\s*)# ?/, "$1") : line.replace(/^(\s*)/, "$1# "));
    return all.map((line) => (line.trim() ? turned(line) : line));
  });
}
