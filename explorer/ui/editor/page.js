// The editor and the rest of the page: what the server's answer shows, and pointing to and from the graph.

const kept = (globalThis.explorerOutputs ??= new Map()); // HTML of notes and outputs by key: sent once

// Ranges that are lit: by the graph's hovered and selected cards, by errors, by errors of what is being typed.
function mark(state) {
  const ranges = (spans) => spans.map(([at, ...span]) => state.cells[at] && rangeOf(state.cells[at], span));
  highlight("explorer-hover", ranges(state.lit.hover));
  highlight("explorer-select", ranges(state.lit.select));
  const faults = state.cells.flatMap((cell, i) => cell.faults.map((fault) => [i, ...fault.slice(0, 4)]));
  highlight("explorer-fault", state.typing ? [] : ranges(faults));
  highlight("explorer-typing", state.typing ? ranges(faults) : []);
  state.cells.forEach((cell, i) => {
    const lit = new Set(state.lit.select.filter((span) => span[0] === i).map((span) => span[1]));
    const wrong = new Set(cell.faults.map((fault) => fault[0]));
    [...cell.paint.children].forEach((one, k) => {
      one.classList.toggle("is-lit", lit.has(k + 1));
      one.classList.toggle("is-bad", wrong.has(k + 1) && !state.typing);
    });
  });
}

const within = ([line, column, endLine, endColumn], [at, where]) =>
  (line < at || (line === at && column <= where)) && (at < endLine || (at === endLine && where <= endColumn));
const size = ([line, column, endLine, endColumn]) => (endLine - line) * 10_000 + endColumn - column;

// Tells the graph which expression is meant: the smallest one around a place that has a card, otherwise the line.
function point(state, at, kind) {
  let spans = [];
  if (at) {
    const [number, line, column] = at;
    const cell = state.cells[number];
    const found = cell.spans.filter((span) => within(span, [line, column])).sort((a, b) => size(a) - size(b))[0];
    const text = textOf(cell).split("\n")[line - 1] ?? "";
    spans = [[number, ...(found ?? [line, 0, line, [...text].length])]];
  }
  const said = JSON.stringify(spans);
  if (state.pointed[kind] === said) return;
  state.pointed[kind] = said;
  document.dispatchEvent(new CustomEvent("explorer:point", { detail: { spans, source: "editor", kind } }));
}

const ruler = document.createElement("canvas").getContext("2d");

function hover(state, cell, event) {
  cancelAnimationFrame(state.frame);
  state.frame = requestAnimationFrame(() => {
    const { line, column, inside } = placeUnder(cell, event);
    point(state, inside ? [state.cells.indexOf(cell), line + 1, column] : null, "hover");
  });
}

// The character under the pointer: line from 0, column, and whether there is one at all.
function placeUnder(cell, event) {
  const style = getComputedStyle(cell.area);
  const box = cell.area.getBoundingClientRect();
  const line = Math.floor((event.clientY - box.top - parseFloat(style.paddingTop)) / parseFloat(style.lineHeight));
  const x = event.clientX - box.left - parseFloat(style.paddingLeft) + cell.area.scrollLeft;
  const text = [...(textOf(cell).split("\n")[line] ?? "")];
  ruler.font = `${style.fontSize} ${style.fontFamily}`;
  let column = 0;
  while (column < text.length && ruler.measureText(text.slice(0, column + 1).join("")).width <= x) column++;
  return { line, column, inside: line >= 0 && x >= 0 && column < text.length };
}

// Where a line runs under its results, the line with the caret is seen whole.
function uncover(state, at) {
  state.root.querySelector(".is-bare")?.classList.remove("is-bare");
  const line = at && state.cells[at[0]]?.paint.children[at[1] - 1];
  const beside = line?.querySelector(".ghost");
  if (!beside) return;
  const starts = beside.getBoundingClientRect().left + parseFloat(getComputedStyle(beside).paddingLeft);
  line.classList.toggle("is-bare", line.firstChild.getBoundingClientRect().right > starts);
}

function moved(state) {
  if (state.turn) return;
  keepHelp(state);
  handles(state);
  const at = cursor(state);
  uncover(state, at);
  if (!at) return;
  point(state, at, "caret");
  if (state.typing && String(at.slice(0, 2)) !== state.line) send(state, { settled: true });
  state.line = String(at.slice(0, 2));
}

function pointed(state, { spans, source, kind, again }) {
  if (source === "editor") return;
  state.lit[kind === "select" ? "select" : "hover"] = spans ?? [];
  mark(state);
  if (kind !== "select" || !spans?.length || again) return;
  const [at, line] = spans[0];
  state.cells[at]?.paint.children[line - 1]?.scrollIntoView({ block: "nearest" });
}

// Puts kept HTML in place, if it is another than what stands there.
function fill(cell, part, key) {
  if (cell.shown[part] === key) return;
  cell.shown[part] = key;
  const element = part === "note" ? cell.note : cell.outs;
  element.innerHTML = key ? kept.get(key) : ""; // made by the server, every text of the program escaped
  if (part === "note") element.classList.remove("is-long", "is-open");
}

function shorten(state, cell) {
  if (!cell.shown.note || cell.note.classList.contains("is-long") || cell.note.scrollHeight < 260) return;
  cell.note.classList.add("is-long");
  const more = press("more", state.words.more, () => {
    const open = cell.note.classList.toggle("is-open");
    more.textContent = open ? state.words.less : state.words.more;
  });
  cell.note.append(more);
}

function results(state, cells, fresh) {
  cells.forEach((told, i) => {
    const cell = state.cells[i];
    if (cell?.id !== told.id) return;
    cell.status.textContent = told.said;
    cell.status.className = `state ${told.state}`;
    cell.box.classList.toggle("is-unrun", told.state === "unrun");
    fill(cell, "note", told.note);
    fill(cell, "outs", told.outs);
    shorten(state, cell);
    if (!fresh) return;
    cell.spans = told.spans;
    cell.faults = told.faults;
    besides(cell, told.ghosts, told.faults, told.hints);
    cell.area.setAttribute("aria-invalid", String(told.faults.length > 0));
    cell.area.setAttribute("aria-description", [...[...told.faults, ...told.hints].map((one) => one[4]), state.words.leave].join("; "));
  });
}

// Plots are the page's own elements: each is laid over the empty place that waits for it among the outputs.
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

// iOS magnifies the page when a text below 16 px gets the focus, unless the page names a largest scale; fingers may then
// still zoom there, elsewhere they could not.
function keepScale() {
  const viewport = document.querySelector('meta[name="viewport"]');
  if (!CSS.supports("-webkit-touch-callout", "none") || /maximum-scale/.test(viewport?.content)) return;
  if (viewport) viewport.content += ", maximum-scale=1";
}

function start(root, setStateValue, data) {
  keepScale();
  const state = {
    root, setStateValue, words: data.words, cells: [], revision: -1, count: 0, lit: { hover: [], select: [] },
    pointed: {}, typing: false, notes: false, at: null, sent: -Infinity, answered: null, used: Boolean(remembered()),
  };
  state.list = make("div", "cells");
  state.end = { note: make("div", "note"), outs: make("div"), shown: {} };
  state.live = make("div", "live"); // said aloud, not shown
  state.live.setAttribute("role", "status");
  root.append(state.list, state.end.note, state.live);
  root.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    root.classList.add("is-over");
  });
  root.addEventListener("dragleave", () => root.classList.remove("is-over"));
  root.addEventListener("drop", (event) => dropped(state, event));
  return state;
}

function mount({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".code-editor");
  const state = (root.explorer ??= start(root, setStateValue, data));
  state.setStateValue = setStateValue;
  state.words = data.words;
  for (const [key, html] of Object.entries(data.html)) kept.set(key, html);
  const keys = data.cells.flatMap((cell) => [cell.note, cell.outs]).concat(data.end).filter(Boolean);
  const texts = state.revision === data.revision || data.cells.every((cell) => cell.text !== null);
  if (!texts || keys.some((key) => !kept.has(key))) {
    state.revision = -1;
    setStateValue("edit", { count: Date.now(), revision: -1, cells: [], act: null, have: [] });
    return;
  }
  state.notes = data.cells.some((cell) => cell.note) || Boolean(data.end);
  if (state.revision !== data.revision) {
    state.revision = data.revision;
    build(state, data.cells, data.focus);
    state.told = lengths(state);
  } else number(state);
  const answers = data.count === null || data.count === state.count || state.count === 0;
  const fresh = answers && state.told === lengths(state);
  if (fresh) state.typing = data.typing;
  if (data.count !== null) state.answered = data.count;
  results(state, data.cells, fresh && !state.composing);
  fill(state.end, "note", data.end);
  mark(state);
  requestAnimationFrame(() => {
    handles(state);
    uncover(state, cursor(state));
  });
  settle(state);
  if (data.ask && state.ran !== data.revision) send(state, { settled: true });
  seat(state);
  const later = () => seat(state);
  const sizes = new ResizeObserver(later);
  sizes.observe(state.list);
  const pane = root.closest(".st-key-program");
  for (const drawn of pane?.querySelectorAll("[class*='st-key-figure-']") ?? []) sizes.observe(drawn);
  const added = new MutationObserver(later);
  if (pane) added.observe(pane, { childList: true, subtree: false });
  const select = () => moved(state);
  const hear = (event) => pointed(state, event.detail);
  const answer = (event) => helped(state, event.detail);
  const unlisten = listenForAnswers(state);
  const escape = (event) => escapes(state, event);
  document.addEventListener("selectionchange", select);
  document.addEventListener("explorer:point", hear);
  document.addEventListener("explorer:helped", answer);
  document.addEventListener("keydown", escape, true);
  return () => {
    unlisten();
    sizes.disconnect();
    added.disconnect();
    document.removeEventListener("selectionchange", select);
    document.removeEventListener("explorer:point", hear);
    document.removeEventListener("explorer:helped", answer);
    document.removeEventListener("keydown", escape, true);
  };
}
