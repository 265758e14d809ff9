// A backward as code: a line lights its card and its line of the program, and is lit by them; a click chooses the card.

import { part, targetOf } from "../../../drawing/dom.js";
import { lies } from "../../../drawing/graph/lights.js";

const UNFOLDED = 600; // ms that Streamlit takes to unfold what it stands in

/** @param {HTMLElement} line */
const spanOf = (line) => /** @type {CellSpan} */ (line.dataset.span?.split(",").map(Number));

/** @param {Page<{ html: string, text: string, copied: string }>} page @returns {Stop} */
export function mount({ data, parentElement }) {
  const root = /** @type {HTMLElement & { explorerHtml?: string }} */ (part(parentElement, ".written"));
  const opens = root.explorerHtml === undefined;
  if (root.explorerHtml !== data.html) root.innerHTML = root.explorerHtml = data.html;
  if (opens) setTimeout(() => root.scrollIntoView({ block: "nearest" }), UNFOLDED); // it stands below the player
  const light = (/** @type {(line: HTMLElement) => boolean} */ is) => {
    for (const line of root.querySelectorAll("[data-card]")) line.classList.toggle("is-lit", is(line));
  };
  const lineOf = (/** @type {Event} */ event) => targetOf(event).closest("[data-card]");
  const choose = (/** @type {HTMLElement} */ line) =>
    document.dispatchEvent(new CustomEvent("explorer:choose", { detail: line.dataset.card ?? "" }));
  const over = (/** @type {Event} */ event) => {
    const line = lineOf(event), spans = line?.dataset.span ? [spanOf(line)] : [];
    light((one) => one.dataset.card === line?.dataset.card);
    document.dispatchEvent(new CustomEvent("explorer:point", { detail: { spans, source: "lens", kind: "hover" } }));
  };
  root.onmouseover = over;
  root.onmouseleave = over;
  root.onclick = (event) => {
    const line = lineOf(event);
    if (line) choose(line);
  };
  const copy = async (/** @type {Event} */ event) => {
    const button = targetOf(event);
    if (!button.matches(".st-key-written_bar .copy")) return;
    try {
      await navigator.clipboard.writeText(data.text);
      button.textContent = data.copied;
    } catch {
      document.getSelection()?.selectAllChildren(root); // without a safe context: by hand
    }
  };
  root.onkeydown = (event) => {
    const line = lineOf(event);
    if (!line || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    choose(line);
  };
  const pointed = (/** @type {DocumentEventMap["explorer:point"]} */ { detail }) => {
    if (detail.source === "lens") return;
    light((line) => Boolean(line.dataset.span && detail.spans.some((span) => lies(spanOf(line), span))));
    if (detail.kind !== "select") return;
    const list = part(root, ".backward-code"), lit = list.querySelector(".is-lit");
    if (lit instanceof HTMLElement) list.scrollTop = lit.offsetTop - list.clientHeight / 3;
  };
  document.addEventListener("explorer:point", pointed);
  document.addEventListener("click", copy);
  return () => {
    document.removeEventListener("explorer:point", pointed);
    document.removeEventListener("click", copy);
  };
}
