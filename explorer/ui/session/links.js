// The address of a page: updated with the page's content, read if it was set from outside. The last content is stored in
// this browser, so that a reload restores it even if it is too large for an address.

import { part } from "../../drawing/dom.js";
import { stored } from "../components/storage.js";
import { find, open } from "./programs.js";
import { share } from "./share.js";

/**
 * What the server sends (links.py): `most` characters of a fragment stand in an address; `seen` is the last that came;
 * `awaited`, whether nothing
 * is drawn until more comes; `edited`, whether the texts of the address stand in an editor; `program`, the key of the
 * session's program, null on a page that does not show it; `ran`, whether that has run.
 * @typedef {{ page: string, pages: string[], session: string, awaited: boolean, edited: boolean, program: string | null, query: Record<string, string>, fragment: string, ran: boolean, most: number,
 *   seen: number | null, views: string[], title: string, open: boolean, words: Record<string, string> }} Data
 */
/** @typedef {Page<Data>["setStateValue"]} Set */

const address = (globalThis.explorerAddress ??= { written: {}, count: Date.now() });

/** @param {"localStorage" | "sessionStorage"} area @param {string} page @param {string} [value] */
const kept = (area, page, value) => stored(area, `explorer:${page}`, value);

const READ = 3000, TIMES = 3; // ms until unread content is sent again, as after a lost connection; how often

/** @param {Data} data @param {string} fragment @param {Set} set @param {boolean} [ran] whether it has run in this tab */
function bring({ page, session }, fragment, set, ran = false) {
  const came = { count: (address.count += 1), page, session, query: query(), fragment, ran, framed: window.top !== window.self };
  set("came", came);
  address.waits = came;
  address.replaces = true;
  let left = TIMES;
  const again = () => {
    const now = address.now;
    if (address.waits !== came) return;
    if (!now || left === 0 || !isWaiting(now.data)) address.waits = null;
    else {
      left -= 1;
      now.set("came", came);
      setTimeout(again, READ);
    }
  };
  setTimeout(again, READ);
}

// Whether the server has not yet read this page's content.
/** @param {Data} data */
const isWaiting = (data) => address.waits?.page === data.page && address.waits.count !== data.seen;

// Whether the address names this page; between two pages it may not.
/** @param {Data} data */
const named = (data) => {
  const last = location.pathname.split("/").filter(Boolean).pop();
  return last && data.pages.includes(last) ? last : data.pages[0];
};

// The page's first script (server.py) makes the server wait; later readers find the address as it was shared.
function arrived() {
  const url = new URL(location.href);
  if (!url.searchParams.has("arrives")) return;
  url.searchParams.delete("arrives");
  history.replaceState(history.state, "", url);
}

const query = () => Object.fromEntries(new URLSearchParams(location.search));

// The content of the address, or of this page before a reload: sent once per load of the page.
/** @param {Data} data @param {Set} set */
function arrive(data, set) {
  const here = location.hash.slice(1), first = address.written[data.page] === undefined, { moved } = address;
  const key = history.state?.explorer, program = data.program !== null && key !== data.program ? find(key) : undefined;
  address.moved = false;
  if (!first && !moved) return false;
  if (first) address.written[data.page] = null;
  // A draft takes the place only of what every session begins with: another text was opened here on purpose.
  const found = here || (data.fragment || !first ? "" : kept("sessionStorage", data.page));
  const another = found && found !== data.fragment && found !== address.written[data.page];
  if (program) open(program, true); // its text may be newer than the address
  const lesson = moved && query().lesson !== data.query.lesson;
  if (program || another || lesson || (first && data.awaited)) {
    bring(data, found ?? "", set, found === kept("sessionStorage", `${data.page}:ran`));
    return true;
  }
  if (first && !found) address.draft = kept("localStorage", data.page);
  return false;
}

// Another program than this history entry's gets a new entry, so that Back leads to the previous one.
/** @param {Data} data */
function enter({ page, program }) {
  const held = history.state?.explorer, instead = address.replaces;
  address.replaces = false;
  if (!program || held === program) return;
  const state = { ...history.state, explorer: program };
  try {
    if (!held || instead) history.replaceState(state, "");
    else {
      flush();
      history.pushState(state, "", location.href);
      address.written[page] = null;
    }
  } catch {
    // too often for this browser: then both have one entry
  }
}

// Another session than the page's own, which ended with its server, has read only the query: it gets the rest as after a
// reload. An editor has newer texts than the address and sends them itself; until then the session's own text, `unheard`,
// must not replace them in the address.
/** @param {Data} data */
function another(data) {
  const before = address.session;
  address.session = data.session;
  if (!before || before === data.session) return false;
  flush();
  const handled = data.edited && !address.waits;
  address.waits = null;
  if (!handled) address.written = {};
  else if (data.fragment !== address.written[data.page]) address.unheard = data.fragment;
  return handled;
}

const PAUSE = 500; // ms after the last change until the address follows: browsers bound how often it may change

/** @param {Data} data */
function soon(data) {
  clearTimeout(address.writing);
  address.next = data;
  address.writing = setTimeout(flush, PAUSE);
}

function flush() {
  clearTimeout(address.writing);
  const data = address.next;
  address.next = null;
  if (data) write(data);
}

/** @param {Data} data */
function write(data) {
  const asked = new URLSearchParams(data.query);
  const now = new URLSearchParams(location.search);
  for (const [name, value] of now) {
    // display options of the app, as opposed to a page's content
    const kept = name.startsWith("embed") || name === "present" || (name === "moment" && data.page === data.pages[0]) || (name === "view" && now.has("embed"));
    if (kept && !asked.has(name)) asked.append(name, value);
  }
  const short = data.fragment.length <= data.most;
  const url = `${location.pathname}?${asked}${data.fragment && short ? `#${data.fragment}` : ""}`;
  try {
    if (named(data) === data.page && url !== location.pathname + location.search + location.hash) {
      // Back leads from a lesson to the one before, or to the course.
      if (now.has("lang") && asked.get("lesson") !== now.get("lesson")) history.pushState({ ...history.state, explorer: data.page }, "", url);
      else history.replaceState(history.state, "", url);
    }
  } catch {
    // too often for this browser: the next change writes it
  }
  address.written[data.page] = data.fragment;
  kept("sessionStorage", data.page, data.fragment);
  kept("sessionStorage", `${data.page}:ran`, data.ran ? data.fragment : "");
  if (data.fragment && data.program === null) kept("localStorage", data.page, data.fragment);
}

// A page's content from an earlier visit is offered, never restored by itself.
/** @param {HTMLElement} root @param {Data} data @param {Set} set */
function offer(root, data, set) {
  const line = part(root, ".draft"), words = data.words;
  line.hidden = !address.draft || address.draft === data.fragment || data.page !== address.of;
  if (line.hidden || line.childElementCount) return;
  /** @param {string} text @param {(draft: string) => void} act */
  const press = (text, act) => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", textContent: text });
    made.onclick = () => {
      const draft = address.draft;
      address.draft = null;
      line.hidden = true;
      kept("localStorage", data.page, "");
      if (draft) act(draft);
    };
    return made;
  };
  line.append(
    words["draft-kept"],
    press(words["draft-open"], (draft) => {
      bring(data, draft, set);
    }),
    press(words["draft-drop"], () => {}),
  );
}


// One listener for the whole visit: it uses the last drawing's data.
if (!address.listens) {
  address.listens = true;
  const moved = () => {
    if (!address.now) return;
    const { data, set } = address.now;
    address.moved = true;
    clearTimeout(address.writing); // it was to be written into the entry that was left
    address.next = null;
    if (named(data) !== data.page) return; // another page: it gets its own message
    arrive(data, set);
  };
  addEventListener("popstate", moved);
  addEventListener("hashchange", moved);
  addEventListener("pagehide", flush);
}

/** @param {Page<Data>} page */
export function mount({ data, parentElement, setStateValue }) {
  const button = part(parentElement, ".share");
  button.textContent = data.words.link;
  button.onclick = () => {
    flush();
    share(parentElement, data);
  };
  address.now = { data, set: setStateValue };
  arrived();
  if (another(data)) return;
  if (isWaiting(data)) return;
  address.waits = null;
  if (named(data) !== data.page) return;
  address.of ??= data.page; // the page this load of the app began with
  if (!arrive(data, setStateValue) && data.fragment !== address.unheard) {
    address.unheard = null;
    enter(data);
    soon(data);
  }
  offer(parentElement, data, setStateValue);
}
