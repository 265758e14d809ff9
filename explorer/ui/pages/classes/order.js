// The list that a teacher writes: each line can be moved up and down and taken away, by its buttons, or by Alt with ↑ or ↓
// and by Delete. The keyboard stays with the line that was moved.

import { part } from "../../../drawing/dom.js";

/** @typedef {{ label: string, kind: string, wrong: boolean }} Row */
/** @typedef {{ rows: Row[], words: Record<string, string> }} Data */

let kept = -1; // the place of the line that has the keyboard once the list is drawn again
let button = ""; // which of its buttons had it; "" for the line itself

/** @param {Page<Data>} page */
export function mount({ data, parentElement, setStateValue }) {
  const list = part(parentElement, ".class-order"), { rows, words } = data;
  /** @param {number} from @param {number} to @param {string} by */
  const move = (from, to, by) => {
    if (to < -1 || to >= rows.length || (to === -1 && by !== "drop")) return;
    kept = by === "drop" ? Math.min(from, rows.length - 2) : to;
    button = by === "key" || by === "drop" ? "" : by;
    setStateValue("moved", { count: Date.now(), from, to });
  };
  list.replaceChildren(...rows.map((row, at) => {
    const line = document.createElement("li"), label = document.createElement("span"), kind = document.createElement("small");
    line.tabIndex = 0;
    line.classList.toggle("is-wrong", row.wrong);
    label.textContent = row.label;
    kind.textContent = row.kind;
    const act = (/** @type {string} */ name, /** @type {string} */ sign, /** @type {number} */ to) => {
      const made = document.createElement("button");
      Object.assign(made, { type: "button", textContent: sign, title: words[name], disabled: to === rows.length || (to < 0 && name === "up") });
      made.setAttribute("aria-label", `${words[name]}: ${row.label}`);
      made.dataset.act = name;
      made.onclick = () => move(at, to, name);
      return made;
    };
    line.append(label, kind, act("up", "↑", at - 1), act("down", "↓", at + 1), act("drop", "×", -1));
    line.onkeydown = (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (event.altKey && step) move(at, at + step, "key");
      else if (event.key === "Delete") move(at, -1, "drop");
      else if (step && !event.altKey) /** @type {HTMLElement | undefined} */ (list.children[at + step])?.focus();
      else return;
      event.preventDefault();
    };
    return line;
  }));
  const line = list.children[kept];
  kept = -1;
  if (!line) return;
  const had = /** @type {HTMLButtonElement | null} */ (button && line.querySelector(`[data-act=${button}]`));
  (had && !had.disabled ? had : /** @type {HTMLElement} */ (line)).focus();
}
