// The divider between program and graph: dragged, or moved by the arrow keys; its position is stored in this browser.
// The inspector is below a program that leaves room, so that the graph has the whole right pane.

import { stored } from "../../components/storage.js";

const KEPT = "explorer:split", USUAL = 45; // percent of the window that the program has
const LEAST = 22, MOST = 70, STEP = 2;
const RIGHT = 440; // px that the right pane keeps
const NARROW = 640; // px of the right pane below which the inspector slides over the graph
const UNDER = 190, STAYS = 160; // px of room below the program: at least the first to move the inspector there, at least the second to keep it
const CALM = 600; // ms that there is room, or none, before it moves
const WIDE = 420; // px of the left pane that it needs

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

  // The inspector's room: below the last line, above the hint and the slope; none while the graph fills the window or is presented.
  const under = (/** @type {DOMRect | undefined} */ left) => {
    const column = document.querySelector(".st-key-editor");
    const below = [...(column?.querySelectorAll(".st-key-hint, .st-key-slope") ?? [])].map((one) => one.getBoundingClientRect());
    const lines = [...(column?.querySelectorAll(".code-editor .paint > *, .code-editor .outs > *") ?? [])];
    if (left && !lines.length) return; // it stays in place while the program is redrawn
    const from = Math.ceil(Math.max(0, ...lines.map((one) => one.getBoundingClientRect().bottom))) + 12;
    const to = Math.min(...below.filter((one) => one.height).map((one) => one.top), column?.getBoundingClientRect().bottom ?? 0, innerHeight);
    const least = root.matches("[data-placed]:not([data-under])") ? UNDER : STAYS; // at first whichever of slope and inspector arrives first
    const grave = document.querySelector(".st-key-problems .problem:is(.is-fault, [role=alert])"); // comes first, next to the program
    const fits = Boolean(left && left.width >= WIDE && to - from >= least && !grave && !root.hasAttribute("data-present"));
    if (!root.hasAttribute("data-placed") || !left || root.hasAttribute("data-present")) turn(fits);
    else if (fits === root.hasAttribute("data-under")) clearTimeout(turning), (turning = 0);
    else turning ||= setTimeout(move, CALM);
    root.toggleAttribute("data-placed", true);
    if (!left) return;
    for (const [name, px] of Object.entries({ left: left.left, top: from, width: left.width - 1, height: Math.max(0, to - from) })) root.style.setProperty(`--under-${name}`, `${px}px`);
  };
  // It moves once a run is drawn, not back and forth meanwhile, and hidden, so that nothing jumps.
  let turning = 0;
  const turn = (/** @type {boolean} */ fits) => {
    clearTimeout(turning);
    turning = 0;
    root.toggleAttribute("data-under", fits);
  };
  const move = () => {
    turning = 0;
    if (document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "running") return void (turning = setTimeout(move, CALM));
    root.toggleAttribute("data-turns", true);
    requestAnimationFrame(() => requestAnimationFrame(() => {
      turn(!root.hasAttribute("data-under"));
      place();
      requestAnimationFrame(() => root.removeAttribute("data-turns"));
    }));
  };

  // The divider covers the line between both panes, if they are side by side.
  const place = () => {
    const left = pane("editor")?.getBoundingClientRect(), right = pane("right")?.getBoundingClientRect();
    const beside = Boolean(left?.width && right?.width && Math.abs(left.right - right.left) < 2);
    bar.hidden = !beside;
    if (left && right) under(beside ? left : undefined); // before, they are not drawn yet
    root.toggleAttribute("data-over", Boolean(beside && right && right.width < NARROW && !root.hasAttribute("data-under")));
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
    const seen = [pane("editor"), pane("right"), ...document.querySelectorAll(".st-key-editor, .st-key-hint, .st-key-slope, .st-key-editor .code-editor .paint")];
    for (const one of seen) if (one) sizes.observe(one);
    if (!document.querySelector(".st-key-editor .code-editor .paint")) waiting = setTimeout(watch, 100); // the program is drawn a moment later
  };
  let waiting = 0;
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
    clearTimeout(waiting);
    clearTimeout(turning);
    document.removeEventListener("explorer:drawn", watch);
    removeEventListener("resize", place);
    removeEventListener("scroll", place, true);
    if (!ended) return;
    for (const name of ["data-split", "data-splitting", "data-over", "data-under", "data-placed", "data-turns"]) root.removeAttribute(name);
    root.style.removeProperty("--split");
  };
}
