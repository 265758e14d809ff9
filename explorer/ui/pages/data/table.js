// The table: a press on a header opens the menu of its column, on the corner that of the whole table. Ctrl or Shift
// adds a header to the columns that are acted on. Arrow keys move between headers and inside a menu.

import { part, targetOf } from "../../../drawing/dom.js";

/**
 * @typedef {{ html: string, groups: [string, string][][], column: Record<string, string>, table: Record<string, string>, several: string, more: string }} Data
 * @typedef {HTMLElement & { explorerHtml?: string }} Root
 * @typedef {(what: string, columns: number[], value: string) => void} Ask
 */

const HEADER = ".dt-pick";

/** @param {Root} root */
const headers = (root) => /** @type {HTMLElement[]} */ ([...root.querySelectorAll(HEADER)]);
/** @param {Root} root */
const chosen = (root) => headers(root).filter((header) => header.getAttribute("aria-pressed") === "true");

/** @param {string} name @param {string} [words] @returns {HTMLElement} */
function element(name, words = "") {
  const made = document.createElement(name);
  made.textContent = words;
  return made;
}

/** @param {string} words @param {string} code @param {() => void} act */
function item(words, code, act) {
  const button = element("button", words);
  button.append(element("code", code));
  button.onclick = () => act();
  return button;
}

// Filling with a value has a field for it.
/** @param {string} words @param {string} code @param {(value: string) => void} act */
function form(words, code, act) {
  const made = /** @type {HTMLFormElement} */ (element("form")), label = element("label", words);
  const value = /** @type {HTMLInputElement} */ (element("input"));
  [value.value, value.maxLength] = ["0", 200];
  label.append(value);
  made.append(label, item("↵", code, () => {}));
  part(made, "button").ariaLabel = words;
  made.onsubmit = (event) => {
    event.preventDefault();
    act(value.value);
  };
  return made;
}

/** @param {HTMLElement[]} of @param {Data} data @param {Ask} ask */
function filled(of, data, ask) {
  const menu = element("div"), whole = of[0].dataset.column === "-1";
  const offered = of.map((header) => new Set(header.dataset.do?.split(" ")));
  const makes = of.reduce((sum, header) => sum + Number(header.dataset.makes), 0);
  const name = of.length > 1 ? data.several.replace("{count}", String(of.length)) : (of[0].firstChild?.textContent ?? "");
  const places = whole ? [] : of.map((header) => Number(header.dataset.column));
  menu.append(element("h4", name), element("p", of.length > 1 ? of.map((one) => one.firstChild?.textContent).join(", ") : of[0].dataset.facts));
  for (const group of data.groups) {
    const shown = group.filter(([action]) => offered.every((each) => each.has(action)));
    if (shown.length) menu.append(element("hr"));
    for (const [action, code] of shown) {
      const words = (whole ? data.table : data.column)[action].replace("{count}", String(makes));
      menu.append((action === "fill.constant" ? form : item)(words, code, (/** @type {string} */ value = "") => ask(action, places, value)));
    }
  }
  if (!whole && of.length < 2 && matchMedia("(hover: hover)").matches) menu.append(element("small", data.more)); // a phone has no Ctrl
  menu.className = "dt-menu";
  menu.popover = "auto";
  menu.setAttribute("role", "dialog");
  menu.ariaLabel = name;
  return menu;
}

// Below the header, inside the window.
/** @param {HTMLElement} menu @param {HTMLElement} header */
function placed(menu, header) {
  const at = header.getBoundingClientRect(), edge = 8;
  const { offsetWidth: width, offsetHeight: height } = menu;
  menu.style.left = `${Math.max(edge, Math.min(at.left, innerWidth - width - edge))}px`;
  menu.style.top = `${Math.max(edge, Math.min(at.bottom + 4, innerHeight - height - edge))}px`;
}

/** @param {Root} root @param {HTMLElement} header @param {Data} data @param {Ask} ask */
function open(root, header, data, ask) {
  const several = chosen(root), of = several.length > 1 && several.includes(header) ? several : [header];
  const menu = filled(of, data, (...how) => {
    menu.hidePopover();
    root.classList.add("is-asked");
    ask(...how);
  });
  root.append(menu);
  menu.ontoggle = () => {
    const shown = menu.matches(":popover-open");
    header.ariaExpanded = String(shown);
    if (!shown) menu.remove();
  };
  menu.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const stops = /** @type {HTMLElement[]} */ ([...menu.querySelectorAll("button, input")]);
    stops.at((stops.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + step) % stops.length)?.focus();
    event.preventDefault();
  };
  menu.showPopover();
  placed(menu, header);
  part(menu, "button, input").focus();
}

// Tab reaches one header, at first the corner.
/** @param {Root} root @param {number} at */
function stop(root, at) {
  root.dataset.stop = String(at);
  headers(root).forEach((header, k) => (header.tabIndex = k === at ? 0 : -1));
}

/** @param {Root} root @param {KeyboardEvent} event */
function walk(root, event) {
  const all = headers(root), at = all.indexOf(targetOf(event));
  const to = /** @type {Record<string, number>} */ ({ ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 })[event.key];
  if (at < 0 || to === undefined || !all[to]) return;
  stop(root, to);
  all[to].focus();
  event.preventDefault();
}

/** @param {Root} root @param {string} html */
function redraw(root, html) {
  const before = root.querySelector(".dt-scroll"), aside = before?.scrollLeft ?? 0, down = before?.scrollTop ?? 0;
  const held = root.classList.contains("is-asked") || root.contains(document.activeElement);
  root.innerHTML = root.explorerHtml = html;
  root.classList.remove("is-asked");
  const scroll = part(root, ".dt-scroll"), at = Math.min(Number(root.dataset.stop ?? 0), headers(root).length - 1);
  [scroll.scrollLeft, scroll.scrollTop] = [aside, down];
  stop(root, at);
  if (held) headers(root)[at].focus({ preventScroll: true });
}

/** @param {Page<Data>} page */
export function mount({ data, parentElement, setStateValue }) {
  const root = /** @type {Root} */ (part(parentElement, ".dt-place"));
  /** @type {Ask} */
  const ask = (what, columns, value) => setStateValue("asked", { do: what, columns, value, at: Date.now() });
  if (root.explorerHtml !== data.html) redraw(root, data.html);
  root.classList.remove("is-asked");
  root.onclick = (event) => {
    const header = /** @type {HTMLElement | null} */ (targetOf(event).closest(HEADER));
    if (!header) return;
    stop(root, headers(root).indexOf(header));
    if ((event.ctrlKey || event.metaKey || event.shiftKey) && header.dataset.column !== "-1")
      header.ariaPressed = String(header.ariaPressed !== "true");
    else {
      if (header.ariaPressed !== "true") for (const other of chosen(root)) other.ariaPressed = "false";
      open(root, header, data, ask);
    }
  };
  root.onkeydown = (event) => walk(root, event);
}
