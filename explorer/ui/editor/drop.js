// Files dropped anywhere on the page: a program is opened, others go to the program's files.

import { targetOf } from "../../drawing/dom.js";
import { send } from "./send.js";

const CODE_SIZE = 200_000; // a larger file is named, not sent
const FILE_SIZE = 5_000_000; // of a notebook
const RUN_SIZE = 8_000_000; // of a saved run

/** @typedef {import("./types").State} State */

const PROGRAM = /\.(py|ipynb|md|trace)$/i;

/** @param {State} state @param {File} file */
async function open(state, file) {
  const most = /\.trace$/i.test(file.name) ? RUN_SIZE : /\.ipynb$/i.test(file.name) ? FILE_SIZE : CODE_SIZE;
  let data = "";
  if (file.size <= Math.min(most, state.most ?? most)) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    for (let i = 0; i < bytes.length; i += 0x8000) data += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  }
  send(state, { act: { do: "open", name: file.name, size: file.size, data: btoa(data) } });
}

const FIELD = ".st-key-given [class*='st-key-drop_files_']";
let last = -1; // the field that took files: the next one replaces it, but it stays until the page is drawn

/** @param {Element} field */
const number = (field) => Number(field.className.match(/drop_files_(\d+)/)?.[1]);

// The menu File takes them and lists them.
/** @param {FileList} files @param {number} left tries */
function give(files, left = 300) {
  const place = [...document.querySelectorAll(FIELD)].find((one) => number(one) > last || left < 200);
  const input = /** @type {HTMLInputElement | null | undefined} */ (place?.querySelector("input[type=file]"));
  const menu = /** @type {HTMLElement | null} */ (document.querySelector(".st-key-file button"));
  if (menu?.getAttribute("aria-expanded") === "false" && left % 20 === 0) menu.click();
  if (!place || !input) return void (left && setTimeout(() => give(files, left - 1), 100));
  const rows = /** @type {HTMLDetailsElement | null} */ (place.closest("details"));
  if (rows && !rows.open) rows.querySelector("summary")?.click();
  last = number(place);
  input.files = files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

// Files over one of Streamlit's own fields go there.
/** @param {Event} event */
const isTaken = (event) => Boolean(targetOf(event).closest?.('[data-testid="stFileUploaderDropzone"]'));

// A page of two programs has one place for each. An open field prevents the default of drops anywhere, so that
// `defaultPrevented` does not mean that it took the files.
/** @param {State} state @param {AbortSignal} signal */
export function drops(state, signal) {
  const page = document.documentElement, place = state.apart ? state.root : document;
  const over = (/** @type {Event} */ event) => {
    const moved = /** @type {DragEvent} */ (event);
    if (isTaken(event) || !moved.dataTransfer?.types.includes("Files")) return delete page.dataset.drop;
    event.preventDefault();
    if (!state.apart) page.dataset.drop = "";
  };
  const leave = (/** @type {Event} */ event) => /** @type {DragEvent} */ (event).relatedTarget || delete page.dataset.drop;
  const drop = (/** @type {Event} */ event) => {
    delete page.dataset.drop;
    const files = /** @type {DragEvent} */ (event).dataTransfer?.files;
    if (isTaken(event) || !files?.length) return;
    event.preventDefault();
    if (state.apart || (files.length === 1 && PROGRAM.test(files[0].name))) open(state, files[0]);
    else give(files);
  };
  place.addEventListener("dragover", over, { signal });
  place.addEventListener("dragleave", leave, { signal });
  place.addEventListener("drop", drop, { signal });
}
