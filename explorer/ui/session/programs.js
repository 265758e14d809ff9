// The programs stored in this browser: the last ones written or opened by the user, and the app's last one. The server
// stores none. Each has its key from the server (`Document.key`), which is also in its entry of the browser's history.

import { stored } from "../components/storage.js";

/** @typedef {import("../editor/types").Kept} Kept */

const NAME = "explorer:programs", TAB = "explorer:program"; // in this browser; the key of this tab's program
const MOST = 10; // of each kind

const here = (globalThis.explorerPrograms ??= { list: [], tab: "", count: Date.now() });

// All programs, newest first; without storage, those of this page.
/** @returns {Kept[]} */
export function programs() {
  try {
    const text = stored("localStorage", NAME);
    if (text === undefined) return here.list;
    const list = JSON.parse(text || "[]");
    return Array.isArray(list) ? list.filter((one) => typeof one?.origin?.key === "string" && Array.isArray(one.cells)) : [];
  } catch {
    return [];
  }
}

/** @param {Kept[]} list */
function write(list) {
  here.list = list;
  for (let left = list.length; left >= 0 && stored("localStorage", NAME, JSON.stringify(list.slice(0, left))) === undefined; left--);
}

/** @param {string | undefined} key @returns {Kept | undefined} */
export const find = (key) => (key ? programs().find((one) => one.origin.key === key) : undefined);

/** @param {Kept} one */
const text = (one) => one.cells.map((cell) => cell[1]).join("\n");

// Stores a program as the newest, replacing its older version.
/** @param {Kept} now */
export function keep(now) {
  const list = [now, ...programs().filter((one) => one.origin.key !== now.origin.key)];
  const counts = { ours: 0, own: 0 };
  write(list.filter((one) => (counts[one.origin.ours ? "ours" : "own"] += 1) <= MOST));
}

// Those that are offered: no two with the same text, none without any, and none of the app's own.
export function recent() {
  const seen = new Set();
  return programs().filter((one) => !one.origin.ours && text(one).trim() && !seen.has(text(one)) && seen.add(text(one)));
}

export const forget = () => write([]);

// The key of this tab's program, also after a reload.
/** @param {string} [key] */
export function inTab(key) {
  if (key) stored("sessionStorage", TAB, (here.tab = key));
  return here.tab || stored("sessionStorage", TAB) || "";
}

// The file name; without one, the program's first line.
/** @param {Kept} one */
export function title(one) {
  if (one.origin.name !== "program.py") return one.origin.name;
  const line = text(one).split("\n").find((line) => line.trim()) ?? "";
  return line.trim().slice(0, 60);
}

// Requests a program from the server. `back`: show it as it was, with the program it had replaced.
/** @param {Kept} kept @param {boolean} [back] */
export function open(kept, back = false) {
  const { foreign, waits, key } = kept.origin;
  here.back = back ? key : "";
  const ran = !waits && !(foreign && inTab() !== key);
  globalThis.explorerAddress?.now?.set("opens", { count: (here.count += 1), cells: kept.cells, origin: kept.origin, ran });
}

// The program replaced by the arriving one; "" for none.
/** @param {string} key @param {boolean} ours */
export function replaced(key, ours) {
  const last = inTab(), back = here.back === key;
  here.back = "";
  inTab(key);
  if (last === key || back) return find(key)?.before ?? "";
  return last || (ours && recent()[0]?.origin.key) || "";
}
