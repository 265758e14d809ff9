// Undo and redo of a cell's text. The browser's own history loses text: after a paste over everything, undo and redo it
// leaves an empty textarea.

/** @typedef {import("./types").Cell} Cell */
/** @typedef {import("./types").Change} Change */

const MOST = 1_000; // steps
const SIZE = 5_000_000; // characters in them

/** @returns {import("./types").History} */
export const newHistory = () => ({ text: "", past: [], future: [], open: "" });

// Begins with the present text.
/** @param {Cell} cell */
export function restart(cell) {
  cell.history = { ...newHistory(), text: cell.area.value };
}

// Keeps the last change of the text. Letters typed one after the other are one step, word by word.
/** @param {Cell} cell @param {string} [kind] of the input event */
export function record(cell, kind = "") {
  const { area, history } = cell, { text, past } = history, now = area.value;
  if (now === text) return;
  let tail = 0, head = 0;
  const behind = Math.min(now.length - area.selectionEnd, text.length); // what is typed ends at the caret
  while (tail < behind && now.at(-1 - tail) === text.at(-1 - tail)) tail++;
  const most = Math.min(now.length, text.length) - tail;
  while (head < most && now[head] === text[head]) head++;
  const change = { at: head, removed: text.slice(head, text.length - tail), added: now.slice(head, now.length - tail) };
  const last = past.at(-1);
  if (!last || kind !== history.open || !joined(last, change, kind)) past.push(change);
  Object.assign(history, { text: now, future: [], open: kind });
  let size = past.reduce((sum, { removed, added }) => sum + removed.length + added.length, 0);
  while (past.length > MOST || (size > SIZE && past.length > 1)) {
    const first = /** @type {Change} */ (past.shift());
    size -= first.removed.length + first.added.length;
  }
}

/** @param {Change} last @param {Change} change @param {string} kind */
function joined(last, change, kind) {
  if (kind === "insertText" && !change.removed && change.at === last.at + last.added.length) {
    if (change.added.includes("\n") || (/\s$/.test(last.added) && /^\S/.test(change.added))) return false;
    last.added += change.added;
  } else if (kind === "deleteContentBackward" && !last.added && !change.added && change.at + change.removed.length === last.at) {
    last.at = change.at;
    last.removed = change.removed + last.removed;
  } else if (kind === "deleteContentForward" && !last.added && !change.added && change.at === last.at) {
    last.removed += change.removed;
  } else return false;
  return true;
}

// One step back, or forth again. Says so like the browser, by an input event.
/** @param {Cell} cell @param {boolean} redo */
export function step({ area, history }, redo) {
  const [from, to] = redo ? [history.future, history.past] : [history.past, history.future];
  const change = from.pop();
  if (!change) return;
  to.push(change);
  const [gone, comes] = redo ? [change.removed, change.added] : [change.added, change.removed];
  area.setRangeText(comes, change.at, change.at + gone.length, "end");
  Object.assign(history, { text: area.value, open: "" });
  area.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: redo ? "historyRedo" : "historyUndo" }));
}
