// A program's backward calls as a row of buttons: one is pressed, and the row and the program scroll to it.

import { part } from "../../../drawing/dom.js";

/**
 * What the server sends (chips.py): of each call, or of the steps of a loop, its title, its line in
 * words, where it stands, and which of the program's calls it is.
 * @typedef {{ chips: [title: string, where: string, place: CellSpan | null, number: number][], shown: number, run: string,
 *   cell: number | null, label: string }} Data
 */

/** @param {Page<Data>} page */
export function mount({ data, parentElement, setStateValue }) {
  const row = part(parentElement, ".chips");
  const point = (/** @type {CellSpan | null} */ place) => {
    row.dataset.pointed = place ? data.run : "";
    const detail = { spans: place ? [place] : [], source: "chips", kind: "select" };
    document.dispatchEvent(new CustomEvent("explorer:point", { detail }));
  };
  if (row.dataset.pointed && row.dataset.pointed !== data.run) point(null); // the line of another program
  const press = (/** @type {number} */ number) => {
    point(data.chips[number][2]);
    setStateValue("chosen", { number: data.chips[number][3], run: data.run, cell: data.cell, at: Date.now() });
  };
  row.setAttribute("aria-label", data.label);
  row.onscroll = () => row.classList.toggle("is-moved", row.scrollLeft > 0); // a chip that is cut off fades
  while (row.children.length > data.chips.length) row.children[row.children.length - 1].remove();
  data.chips.forEach(([title, where], i) => {
    let chip = /** @type {HTMLButtonElement | undefined} */ (row.children[i]);
    if (!chip) {
      chip = row.appendChild(document.createElement("button"));
      chip.type = "button";
      chip.className = "chip";
      chip.append(document.createElement("b"), document.createElement("span"));
    }
    chip.onclick = () => press(i);
    const [name, line] = chip.children;
    name.textContent = title;
    line.textContent = where;
    chip.setAttribute("aria-pressed", String(i === data.shown));
    if (i === data.shown && row.dataset.shown !== `${i}`)
      row.scrollTo({ left: chip.offsetLeft - row.clientWidth / 2 + chip.offsetWidth / 2 });
  });
  row.dataset.shown = `${data.shown}`;
}
