// The divider between program and graph: dragged, or moved by the arrow keys; its position is stored in this browser.

import { stored } from "../../components/storage.js";

const KEPT = "explorer:split", USUAL = 45; // percent of the window that the program has
const LEAST = 22, MOST = 70, STEP = 2;
const RIGHT = 440; // px that the right pane keeps
const NARROW = 640; // px of the right pane below which the inspector slides over the graph

const root = document.documentElement;

/** @param {string} of */
const pane = (of) => document.querySelector(`[data-testid="stColumn"]:has(> div > div > .st-key-${of})`);

/** @param {string} [value] */
const kept = (value) => stored("localStorage", KEPT, value);

/** @param {Page<{ words: { split: string, run: string } }>} page @returns {Stop | void} */
export function mount({ data, parentElement }) {
  const bar = /** @type {HTMLElement | null} */ (parentElement.querySelector(".splitter"));
  if (!bar) return;
  const attributes = { role: "separator", "aria-orientation": "vertical", "aria-valuemin": LEAST, "aria-valuemax": MOST };
  for (const [name, value] of Object.entries(attributes)) bar.setAttribute(name, String(value));
  bar.tabIndex = 0;
  bar.title = data.words.split;
  bar.setAttribute("aria-label", data.words.split);
  document.querySelector(".st-key-run")?.setAttribute("title", data.words.run); // Streamlit's own hint would lie over the navigation
  let share = Number(kept()) || USUAL;

  // The divider covers the line between both panes, if they are side by side.
  const place = () => {
    const left = pane("editor")?.getBoundingClientRect(), right = pane("right")?.getBoundingClientRect();
    const beside = Boolean(left?.width && right?.width && Math.abs(left.right - right.left) < 2);
    bar.hidden = !beside;
    root.toggleAttribute("data-over", Boolean(beside && right && right.width < NARROW));
    if (!left || !beside) return;
    bar.style.left = `${left.right}px`;
    bar.style.top = `${Math.max(0, left.top)}px`;
  };
  /** @param {number} wanted @param {boolean} [remember] */
  const put = (wanted, remember = true) => {
    share = Math.round(Math.max(LEAST, Math.min(wanted, MOST, 100 - (100 * RIGHT) / innerWidth)));
    if (share === USUAL) root.style.removeProperty("--split");
    else root.style.setProperty("--split", `${share}%`);
    root.toggleAttribute("data-split", share !== USUAL);
    bar.setAttribute("aria-valuenow", String(share));
    if (remember) kept(String(share));
    place();
  };
  const sizes = new ResizeObserver(place);
  const watch = () => {
    for (const one of [pane("editor"), pane("right")]) if (one) sizes.observe(one);
  };
  watch();
  document.addEventListener("explorer:drawn", watch);
  put(share, false);

  bar.onpointerdown = (event) => {
    if (event.button) return;
    event.preventDefault();
    bar.focus();
    bar.setPointerCapture(event.pointerId);
    root.toggleAttribute("data-splitting", true);
  };
  bar.onpointermove = (event) => {
    if (bar.hasPointerCapture(event.pointerId)) put((100 * event.clientX) / innerWidth, false);
  };
  bar.onpointerup = bar.onpointercancel = () => {
    root.removeAttribute("data-splitting");
    put(share);
  };
  bar.ondblclick = () => put(USUAL);
  bar.onkeydown = (event) => {
    const places = { ArrowLeft: share - STEP, ArrowRight: share + STEP, Home: LEAST, End: MOST, Enter: USUAL };
    const wanted = /** @type {Record<string, number>} */ (places)[event.key];
    if (wanted === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    put(wanted);
  };
  addEventListener("resize", place);
  addEventListener("scroll", place, true);
  return (ended) => {
    sizes.disconnect();
    document.removeEventListener("explorer:drawn", watch);
    removeEventListener("resize", place);
    removeEventListener("scroll", place, true);
    if (!ended) return;
    for (const name of ["data-split", "data-splitting", "data-over"]) root.removeAttribute(name);
    root.style.removeProperty("--split");
  };
}
