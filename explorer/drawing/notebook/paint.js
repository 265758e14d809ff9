// Draws a cell's text under its transparent textarea: Python's colours line by line, results at line ends, and ranges
// for highlights. Nothing here listens or sends.

/** @typedef {import("./types").CellText} CellText */
/** @typedef {import("./types").Ghost} Ghost */
/** @typedef {import("./types").Fault} Fault */

export const WORDS =
  "False|None|True|and|as|assert|async|await|break|case|class|continue|def|del|elif|else|except|finally|for|from|global|" +
  "if|import|in|is|lambda|match|nonlocal|not|or|pass|raise|return|try|while|with|yield";
export const TOKEN = new RegExp(
  [
    String.raw`(?<com>#[^\n]*)`,
    String.raw`(?<str>(?<![\p{L}\w])[rRbBfFuU]{0,2}(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?))`,
    String.raw`(?<key>(?<![\p{L}\w.])(?:${WORDS})(?![\p{L}\w]))`,
    String.raw`(?<num>(?<![\p{L}\w])(?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJ]?))`,
  ].join("|"),
  "gu",
);

const BASED = /^0[xob]/i; // a number in another base cannot be dragged

// The displayed text: a draft while one of its numbers is turned.
/** @param {CellText} cell */
export const textOf = (cell) => cell.draft ?? cell.area.value;

/** @param {string} text */
const ESCAPED = /** @type {Record<string, string>} */ ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" });
/** @param {string} text */
const escapeText = (text) => text.replace(/[&<>]/g, (sign) => ESCAPED[sign]);

// The coloured HTML of every line.
/** @param {string} text */
function colour(text) {
  const lines = [""];
  const add = (/** @type {string} */ piece, /** @type {string | undefined} */ kind) =>
    piece.split("\n").forEach((part, i) => {
      if (i) lines.push("");
      if (part) lines[lines.length - 1] += kind ? `<span class="c-${kind}">${escapeText(part)}</span>` : escapeText(part);
    });
  let at = 0;
  for (const { 0: found, index = 0, groups = {} } of text.matchAll(TOKEN)) {
    if (!found) continue;
    add(text.slice(at, index), "");
    const kind = Object.keys(groups).find((kind) => groups[kind] !== undefined);
    add(found, kind === "num" && BASED.test(found) ? "num based" : kind);
    at = index + found.length;
  }
  add(text.slice(at), "");
  return lines;
}

/** @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {string} [className] @param {string} [text] */
export function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** @param {string} className @param {string} text @param {() => void} act */
export function press(className, text, act) {
  const made = make("button", className, text);
  made.type = "button";
  made.onclick = act;
  return made;
}

/** @param {string} html */
function line(html) {
  const made = make("div", "line");
  const source = make("span", "src");
  source.innerHTML = html;
  const comment = source.querySelector(".c-com")?.textContent ?? "";
  made.style.setProperty("--code", `${(source.textContent ?? "").length - comment.length}`); // a line end may cover a comment only
  made.append(source);
  return made;
}

// The container of a cell's text and its overlays.
/** @param {CellText} cell */
export const padOf = (cell) => /** @type {HTMLElement} */ (cell.paint.parentElement);

// Redraws the changed lines of a cell; other lines keep their annotations.
/** @param {CellText} cell */
export function paint(cell) {
  const lines = colour(textOf(cell));
  const old = cell.lines;
  let head = 0;
  while (head < lines.length && head < old.length && lines[head] === old[head]) head++;
  let tail = 0;
  while (tail < lines.length - head && tail < old.length - head && lines.at(-1 - tail) === old.at(-1 - tail)) tail++;
  const drawn = cell.paint.children;
  const gone = [...drawn].slice(head, old.length - tail);
  const added = lines.slice(head, lines.length - tail).map(line);
  const typed = gone.length === 1 && added.length === 1; // within one line: annotations disappear if the change lasts
  let from = 0;
  added.forEach((made) => {
    const same = typed ? 0 : gone.findIndex((before, i) => i >= from && textOfLine(before) === textOfLine(made));
    const ghost = gone[same]?.querySelector(".ghost");
    if (same >= 0) from = same + 1;
    if (!ghost) return;
    made.append(ghost);
    ghost.classList.toggle("is-old", typed);
  });
  gone.forEach((row) => row.remove());
  const next = drawn[head] ?? null;
  added.forEach((made) => cell.paint.insertBefore(made, next));
  const grown = lines.length - old.length;
  const kept = (/** @type {Span | Fault} */ mark) => typed || mark[0] <= head || mark[0] > old.length - tail;
  [cell.faults, cell.spans, cell.idle] = [cell.faults.filter(kept), cell.spans.filter(kept), cell.idle.filter(kept)];
  /** @template {Span | Fault} Place @param {Place} mark */
  const below = (mark) =>
    mark[0] > old.length - tail
      ? /** @type {Place} */ ([mark[0] + grown, mark[1], mark[2] + grown, ...mark.slice(3)])
      : mark;
  if (grown) // until the next answer
    [cell.faults, cell.spans, cell.idle] = [cell.faults.map(below), cell.spans.map(below), cell.idle.map(below)];
  cell.lines = lines;
  cell.area.rows = lines.length;
}

/** @param {Element} drawn @returns {string} */
const textOfLine = (drawn) => drawn.firstChild?.textContent ?? "";

// A line-end annotation: [line, shape, value, label, gradient, held, hypothetical].
/** @param {Ghost} shown */
function ghost([, shape, value, label, gradient, held, hypothetical]) {
  const made = make("span", "ghost");
  const right = make("span", hypothetical ? "g hypothetical" : "g"), lies = make("span", "held");
  if (gradient) right.append(make("i", "", `${label} `), ...numbers(gradient));
  if (held) lies.append(make("i", "", ".grad "), ...numbers(held));
  const text = make("span", "v");
  text.append(...[shape, value].filter(Boolean).join("  ").split(/(?<!\w)(NaN)(?!\w)/).map((part, i) => i % 2 ? make("b", "bad", part) : part));
  made.append(text, ...(held ? [lies] : []), right);
  return made;
}

// Each number of a gradient in the colour of its sign.
/** @param {string} gradient */
const numbers = (gradient) => gradient.split(/(?<= )/).map((text) =>
  make("b", /NaN|∞/.test(text) ? "bad" : /j/.test(text) ? "" : text[0] === "+" ? "pos" : text[0] === "−" ? "neg" : "", text));

// Puts results and faults at the line ends; unchanged ones stay.
/** @param {CellText} cell @param {Ghost[]} ghosts @param {Fault[]} faults @param {Fault[]} hints */
export function besides(cell, ghosts, faults, hints) {
  /** @type {Map<number, [shown: Ghost | Fault, draw: () => HTMLElement]>} */
  const shownAt = new Map(ghosts.map((shown) => [shown[0], [shown, () => ghost(shown)]]));
  for (const shown of [...hints].reverse()) shownAt.set(shown[0], [shown, () => fault(shown, "fault hint")]);
  for (const shown of [...faults].reverse()) shownAt.set(shown[0], [shown, () => fault(shown, "fault")]); // the first of a line
  [...cell.paint.children].forEach((drawn, i) => {
    const [shown, draw] = shownAt.get(i + 1) ?? [];
    const key = shown ? JSON.stringify(shown) : "";
    const old = drawn.querySelector(".ghost, .fault");
    old?.classList.remove("is-old");
    if ((old?.dataset.shown ?? "") === key) return;
    old?.remove();
    if (!draw) return;
    const made = draw();
    made.dataset.shown = key;
    drawn.append(made);
  });
}

// What a line end says of a problem: its name, and the rest if there is room for all of it. The pointer shows it in any case.
/** @param {Fault} shown @param {string} kind */
function fault([, , , , message], kind) {
  const [first] = message.split("\n"), [name, ...rest] = first.split(/(?=[:：])/);
  const made = make("span", kind);
  made.append(make("span", "", name), make("span", "", rest.join("")));
  made.title = message;
  made.onclick = () => document.querySelector(".st-key-panel")?.scrollIntoView({ block: "nearest" });
  return made;
}

// Columns are counted in code points, texts of the page in UTF-16 units.
/** @param {string} text @param {number} column */
export const toUnits = (text, column) => [...text].slice(0, column).join("").length;
/** @param {string} text @param {number} offset */
export const toPoints = (text, offset) => [...text.slice(0, offset)].length;

// The range of the drawn text between two places, null when they are no longer there.
/** @param {CellText} cell @param {Span} span */
export function rangeOf(cell, [from, column, to, endColumn]) {
  const start = spot(cell, from, column);
  const end = spot(cell, to, endColumn);
  if (!start || !end) return null;
  const range = document.createRange();
  range.setStart(...start);
  range.setEnd(...end);
  return range;
}

/** @param {CellText} cell @param {number} number @param {number} column @returns {[node: Node, offset: number] | null} */
function spot(cell, number, column) {
  const source = cell.paint.children[number - 1]?.firstChild;
  if (!source) return null;
  let left = toUnits(source.textContent ?? "", column);
  const walker = document.createTreeWalker(source, NodeFilter.SHOW_TEXT);
  let last = null;
  while (walker.nextNode()) {
    last = /** @type {Text} */ (walker.currentNode);
    if (left <= last.length) return [last, left];
    left -= last.length;
  }
  return last ? [last, last.length] : [source, 0];
}

// Missing in older browsers; newer checkers declare them differently.
/** @typedef {{ highlights?: Map<string, object> }} Styles */
const { CSS: styles, Highlight: Lit } =
  /** @type {{ CSS?: Styles, Highlight?: new (...ranges: Range[]) => object }} */ (/** @type {unknown} */ (globalThis));

/** @param {string} name @param {(Range | null | undefined)[]} ranges */
export function highlight(name, ranges) {
  const there = ranges.flatMap((range) => range ?? []);
  if (Lit && there.length) styles?.highlights?.set(name, new Lit(...there));
  else styles?.highlights?.delete(name);
}
