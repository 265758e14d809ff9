// The search in the head: a box over the page, opened by its button or the key /. The server is asked from then on.

import { part, targetOf } from "../../drawing/dom.js";

/** @typedef {{ key: string, kind: string, title: string, says: string }} Hit */
/** @typedef {{ words: Record<string, string>, asked: string | null, hits: Hit[], said: string }} Data */

const PAUSE = 90; // ms after the last key
const TYPING = "input, textarea, select, [contenteditable], [role=textbox], [role=combobox], dialog";

/** @param {string} name @param {string} text */
function made(name, text) {
  const span = document.createElement("span");
  Object.assign(span, { className: name, textContent: text });
  return span;
}

/** @param {Hit} hit @param {number} number */
function row(hit, number) {
  const line = document.createElement("div");
  Object.assign(line, { className: "search-hit", id: `search-hit-${number}` });
  line.setAttribute("role", "option");
  line.dataset.key = hit.key;
  line.append(made("search-title", hit.title), made("search-kind", hit.kind), made("search-says", hit.says));
  return line;
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data, parentElement, setStateValue }) {
  const words = data.words;
  const button = part(parentElement, ".search-open"), close = part(parentElement, ".search-close");
  const box = /** @type {HTMLDialogElement} */ (part(parentElement, "dialog"));
  const input = /** @type {HTMLInputElement} */ (part(box, "input"));
  const list = part(box, ".search-list"), said = part(box, ".search-said");
  const state = (globalThis.explorerSearch ??= { at: 0, drawn: "", enter: false });
  part(button, "span").textContent = words.open;
  button.setAttribute("aria-label", words.label);
  box.setAttribute("aria-label", words.label);
  input.setAttribute("aria-label", words.label);
  input.placeholder = words.hint;
  close.setAttribute("aria-label", words.close);

  const rows = () => /** @type {HTMLElement[]} */ ([...list.querySelectorAll(".search-hit")]);

  /** @param {number} to */
  const walk = (to) => {
    const all = rows();
    state.at = Math.max(0, Math.min(to, all.length - 1));
    all.forEach((row, number) => row.setAttribute("aria-selected", String(number === state.at)));
    if (all.length) input.setAttribute("aria-activedescendant", all[state.at].id);
    else input.removeAttribute("aria-activedescendant");
    all[state.at]?.scrollIntoView({ block: "nearest" });
  };

  const ask = () => setStateValue("asked", input.value);
  const open = () => {
    if (box.open) return;
    box.showModal();
    input.select();
    if (data.asked !== input.value) ask();
  };
  /** @param {HTMLElement | null | undefined} hit */
  const choose = (hit) => {
    const key = hit?.dataset.key;
    if (!key) return;
    clearTimeout(state.timer); // nothing more is asked of a page that is being left
    box.close();
    setStateValue("chosen", { key, at: Date.now() });
  };

  const drawn = JSON.stringify([data.hits, data.said]);
  if (data.asked !== null && drawn !== state.drawn) {
    state.drawn = drawn;
    list.replaceChildren(...data.hits.map(row));
    said.textContent = data.said;
    walk(0);
  }
  if (state.enter && data.asked === input.value) {
    state.enter = false;
    choose(rows()[0]);
  }

  button.onclick = open;
  close.onclick = () => box.close();
  box.onclick = (event) => event.target === box && box.close(); // beside the box
  input.oninput = () => {
    state.enter = false;
    clearTimeout(state.timer);
    state.timer = setTimeout(ask, PAUSE);
  };
  list.onclick = (event) => {
    const hit = targetOf(event).closest(".search-hit");
    choose(hit);
  };
  list.onmousedown = (event) => event.preventDefault(); // the keyboard stays in the field
  input.onkeydown = (event) => {
    if (event.isComposing) return; // the keys belong to who is writing 中文
    const to = { ArrowDown: state.at + 1, ArrowUp: state.at - 1 }[event.key];
    if (to !== undefined) walk(to);
    else if (event.key !== "Enter") return;
    else if (data.asked === input.value) choose(rows()[state.at]);
    else state.enter = true; // what is found for these words is on its way
    event.preventDefault();
  };
  /** @param {KeyboardEvent} event */
  const key = (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.defaultPrevented || targetOf(event).closest?.(TYPING)) return;
    event.preventDefault();
    open();
  };
  document.addEventListener("keydown", key);
  return () => document.removeEventListener("keydown", key);
}
