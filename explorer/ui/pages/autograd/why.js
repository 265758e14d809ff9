// Why?: the key ?, and clicks on numbers in the inspector, the graph and at line ends, ask the server.

import { targetOf } from "../../../drawing/dom.js";

const TYPING = "input, textarea, select, [contenteditable]";
const PANEL = ".why:not(.story)";

/** @type {HTMLElement | null} */
let from = null; // the reader's place when asking; closing the answer returns there

let count = Date.now(); // of questions: the next may be asked before the last is answered

// `choose`: the card that the answer belongs to, while another one is chosen.
/** @param {Page<{ session: string, card: string, open: boolean, choose: string }>} page @returns {Stop | void} */
export function mount({ data, parentElement, setStateValue }) {
  const inspector = parentElement.closest(".st-key-inspector");
  if (!inspector) return;
  const send = (/** @type {object} */ what) => setStateValue("asked", { ...what, session: data.session, count: (count += 1) });
  // An answer is on its way; it gets the focus unless the user is typing.
  const ask = (/** @type {object} */ what, how = "card") => {
    const active = /** @type {HTMLElement | null} */ (document.activeElement);
    if (!active?.closest(PANEL)) from = active === document.body ? null : active; // not at an earlier question
    inspector.dataset.asked = how;
    document.dispatchEvent(new Event("explorer:asked")); // opens a sliding inspector
    send(what);
  };
  const close = () => {
    send({ code: "" });
    const card = from?.closest("g.node")?.getAttribute("data-id"); // the picture may have been drawn anew
    const place = from?.isConnected ? from : card ? document.querySelector(`.st-key-graph g.node[data-id="${CSS.escape(card)}"]`) : null;
    (/** @type {HTMLElement | null} */ (place) ?? inspector.querySelector("[data-why]"))?.focus({ preventScroll: true });
  };
  const click = (/** @type {MouseEvent} */ event) => {
    const at = targetOf(event).closest("[data-why], [data-ask], [data-close], [data-goto]");
    if (!at) return;
    if (at.dataset.why) ask({ card: data.card, of: at.dataset.why });
    else if (at.dataset.ask) ask({ code: at.dataset.ask });
    else if (at.dataset.goto) document.dispatchEvent(new CustomEvent("explorer:show", { detail: at.dataset.goto }));
    else close();
  };
  const key = (/** @type {KeyboardEvent} */ event) => {
    const at = targetOf(event);
    if (event.ctrlKey || event.metaKey || event.altKey || at.closest?.(TYPING)) return;
    if (event.key === "Escape" && data.open && at.closest?.(PANEL)) return close();
    if (event.key !== "?") return;
    event.preventDefault();
    ask({ card: at.closest?.("g.node")?.dataset.id ?? data.card, of: "" });
  };
  const asked = (/** @type {DocumentEventMap["explorer:why"]} */ { detail }) => ask(detail, "entry" in detail && (detail.entry ?? -1) >= 0 ? "way" : "card");
  const beside = (/** @type {MouseEvent} */ event) => {
    const line = lineAt(event);
    if (line) ask(line, "typing");
  };
  const choose = () => data.choose && document.dispatchEvent(new CustomEvent("explorer:choose", { detail: data.choose }));
  choose();
  const left = new AbortController(), { signal } = left;
  document.addEventListener("explorer:drawn", choose, { signal }); // a page that was opened draws its graph later
  inspector.addEventListener("click", click, { signal });
  document.addEventListener("mousedown", beside, { signal }); // what is visible at the press: afterwards the cursor is there, and the code has the room
  document.addEventListener("keydown", key, { signal });
  document.addEventListener("explorer:why", asked, { signal });
  const seen = new MutationObserver(() => shown(inspector));
  seen.observe(inspector, { childList: true, subtree: true });
  return () => {
    seen.disconnect();
    left.abort();
  };
}

// Scrolls a new answer into view and focuses it.
/** @param {HTMLElement} inspector */
function shown(inspector) {
  const panel = inspector.dataset.asked && inspector.querySelector(PANEL);
  if (!panel) return;
  const { asked } = inspector.dataset;
  if (asked !== "typing") panel.focus({ preventScroll: true });
  delete inspector.dataset.asked;
  const graph = document.querySelector(".st-key-graph")?.getBoundingClientRect(), below = graph && graph.bottom <= inspector.getBoundingClientRect().top + 2;
  if (!below || asked !== "way") panel.scrollIntoView({ block: "nearest" }); // else the graph stays in sight, which shows the way to the root
}

// The number at a line end that was clicked: it is below the field that gets the click.
/** @param {MouseEvent} event */
function lineAt(event) {
  const field = targetOf(event).closest?.(".code-editor textarea");
  const paint = field?.parentElement?.querySelector(".paint");
  if (!paint) return null;
  const within = (/** @type {Element | null} */ mark) => {
    const box = mark?.textContent ? mark.getBoundingClientRect() : null;
    return box && event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
  };
  const line = [...paint.children].findIndex((row) => within(row) && [...row.querySelectorAll(".ghost .g, .ghost .v")].some(within));
  if (line < 0) return null;
  const gradient = within(paint.children[line].querySelector(".ghost .g"));
  const cell = [...document.querySelectorAll(".code-editor .paint")].indexOf(paint);
  return { cell, line: line + 1, of: gradient ? "gradient" : "value" };
}
