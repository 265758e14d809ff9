// The programs that this browser keeps, to open one again or to forget them all.

import { part } from "../../drawing/dom.js";
import { forget, open, recent, title } from "../session/programs.js";

/** @typedef {{ words: Record<"title" | "clear", string>, lang: string, here: string }} Data */

/** @param {Page<Data>} page */
export function mount({ data, parentElement }) {
  const place = part(parentElement, ".recent"), { words, lang } = data;
  const kept = recent().filter((one) => one.origin.key !== data.here);
  place.hidden = !kept.length;
  /** @param {string} name @param {string} text @param {() => void} act */
  const press = (name, text, act) => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", className: name, textContent: text, onclick: act });
    return made;
  };
  const head = document.createElement("summary"), list = document.createElement("ul");
  head.textContent = words.title;
  const clear = press("clear", words.clear, () => {
    forget();
    place.hidden = true;
  });
  for (const one of kept) {
    const row = document.createElement("li"), name = document.createElement("span"), when = document.createElement("time"), at = new Date(one.at);
    const today = at.toDateString() === new Date().toDateString();
    when.dateTime = at.toISOString();
    when.textContent = at.toLocaleString(lang, today ? { timeStyle: "short" } : { day: "numeric", month: "short", hour: "numeric", minute: "2-digit" });
    const button = press("one", "", () => {
      open(one);
      document.querySelector(".st-key-file button")?.click(); // closes the menu
    });
    name.textContent = title(one);
    button.append(name, when);
    row.append(button);
    list.append(row);
  }
  const all = document.createElement("div");
  all.append(list, clear);
  place.replaceChildren(head, all);
}
