// The bar over the picture: whose gradient it shows, and its tools.

import { searchField } from "./find.js";
import { fit, opening, reveal, unseen, zoom } from "./room.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Data} Data */
/** @typedef {import("./types").Roots} Roots */

export const STEP = 1.25; // one press of a zoom button

/** @param {string} text @param {string} label @param {() => void} act @param {string} [name] */
function button(text, label, act, name = "") {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", textContent: text, title: label, onclick: act, className: name });
  made.setAttribute("aria-label", label);
  return made;
}

// The shown root: the program's own, or another output with a chosen starting gradient.
/** @param {State} state @param {string} heading @param {Roots} roots */
function rootMenu(state, heading, roots) {
  const { words } = roots;
  const menu = document.createElement("details");
  menu.className = "roots";
  const title = document.createElement("summary");
  title.innerHTML = heading; // escaped by the server
  title.title = words.menu;
  const panel = document.createElement("form");
  const pick = document.createElement("select");
  pick.append(new Option(words.own, ""), ...roots.names.map(([name, shape]) => new Option(`${name}  ${shape}`, name)));
  pick.value = roots.of;
  const start = document.createElement("input");
  Object.assign(start, { type: "text", value: roots.start, placeholder: "1", spellcheck: false, autocomplete: "off" });
  const named = (/** @type {string} */ words, /** @type {HTMLElement} */ field) => {
    const label = document.createElement("label");
    label.append(words, field);
    return label;
  };
  const second = named(words.start, start), hint = document.createElement("p"), go = document.createElement("button");
  const follow = () => {
    const shape = roots.names.find(([name]) => name === pick.value)?.[1];
    second.hidden = hint.hidden = !pick.value;
    hint.textContent = shape ? `${words.many} ${shape}` : words.one;
  };
  pick.onchange = follow;
  follow();
  Object.assign(go, { type: "submit", textContent: words.show });
  panel.append(named(words.of, pick), second, hint, go);
  panel.onsubmit = (event) => {
    event.preventDefault();
    menu.open = false;
    state.set("root", { of: pick.value, start: pick.value ? start.value : "" });
  };
  menu.onkeydown = (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    title.focus();
    event.stopPropagation();
  };
  menu.append(title, panel);
  return menu;
}

/** @param {State} state @param {Data} data */
export function toolbar(state, data) {
  const words = data.words;
  const tools = document.createElement("div");
  tools.className = "zoom";
  tools.append(
    button("+", words.bigger, () => zoom(state, STEP)),
    button("−", words.smaller, () => zoom(state, 1 / STEP)),
    button(words.fitWord, words.fit, () => (state.whole && !state.zoomed ? opening(state) : fit(state, true)), "fit"),
  );
  const field = searchField(state, words);
  const opened = () => (field.hidden ? ((field.hidden = false), field.focus()) : state.unfound());
  tools.append(button(words.searchWord, words.search, opened, "find"));
  if (words.full) tools.append(button(words.full, words.fullHint, () => document.dispatchEvent(new Event("explorer:full")), "full"));
  if (words.inspect) tools.append(button(words.inspect, words.inspectHint, () => document.dispatchEvent(new Event("explorer:inspect")), "inspect"));
  const bar = document.createElement("div");
  bar.className = "bar graph-bar";
  const title = document.createElement("h2");
  if (data.roots?.names.length) title.append(rootMenu(state, data.title, data.roots));
  else title.innerHTML = data.title; // escaped by the server
  if (!title.textContent) title.setAttribute("role", "presentation"); // a lesson's picture has none
  bar.append(title);
  if (data.foldable) {
    const label = data.fold ? words.unfold : words.foldUp;
    bar.append(button(label, label, () => state.set("fold", !data.fold), "quiet-button"));
  }
  if (data.opened) {
    const words = data.words.closeModules;
    bar.append(button(words, words, () => state.set("module", { path: "", open: false, at: Date.now() }), "quiet-button"));
  }
  state.more = button("", words.fit, () => fit(state, true), "more-cards");
  state.more.removeAttribute("aria-label"); // its text is its label
  const endButton = (/** @type {string} */ name, /** @type {string} */ label) =>
    button(label, label, () => {
      const card = unseen(state, name);
      if (card) reveal(state, card);
    }, "more-cards");
  state.ends = words.leaves ? { leaf: endButton("leaf", words.leaves), out: endButton("out", words.output) } : {};
  bar.append(tools, state.more, ...Object.values(state.ends), field);
  return bar;
}
