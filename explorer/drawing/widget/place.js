// Where a script of a notebook draws: a shadow root, so that neither the notebook's style nor its own reaches the other.

import { part } from "../dom.js";

/**
 * What anywidget gives a script.
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(message: object) => void} send
 * @property {(name: string, call: (message: any) => void) => void} on
 * @property {(name: string, call: (message: any) => void) => void} off
 */

/** @param {Model} model @param {HTMLElement} el @param {string} html @returns {ShadowRoot} */
export function placeOf(model, el, html) {
  el.dataset.lmSuppressShortcuts = "true"; // JupyterLab takes letters as commands elsewhere
  const root = el.attachShadow({ mode: "open" });
  root.innerHTML = `<style></style>${html}`;
  part(root, "style").textContent = model.get("sheet");
  return root;
}

// Draws now and on the kernel's updates; handles its answers. Returns a function that stops both.
/** @param {Model} model @param {() => void} draw @param {(answer: any) => void} answered @returns {() => void} */
export function listen(model, draw, answered) {
  model.on("change:shown", draw);
  model.on("msg:custom", answered);
  draw();
  return () => {
    model.off("change:shown", draw);
    model.off("msg:custom", answered);
  };
}
