// The Share button: the link at once, and further options behind one click.

import { part } from "../../drawing/dom.js";
import { alone, shownPicture } from "../../drawing/graph/alone.js";

/** @typedef {import("./links").Data} Data */

const SHORT = 360, TALL = 900; // px, bounds of an embedded page's height
const HEAD = 34, BARS = 44 + 42 + 110; // px of an embedded page: its line; the bars of a graph and the player
const LINE = 24; // px

/** @param {string} text */
const quoted = (text) =>
  text.replace(/[&<>"]/g, (sign) => /** @type {Record<string, string>} */ ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);

// A link leaves the language to its reader. A frame is part of a page that has one.
/** @param {Record<string, string>} [more] */
function link(more = {}) {
  const url = new URL(location.href);
  url.searchParams.delete("present");
  if (!more.embed) url.searchParams.delete("lang");
  for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value);
  return url.href;
}

// As high as what it shows is on this page.
/** @param {Data} data @param {string} view */
function height(data, view) {
  const graph = BARS + (shownPicture()?.viewBox.baseVal.height ?? 400) + 40;
  const code = 44 + 200 + LINE * (document.querySelectorAll(".code-editor .line").length + 2);
  const page = document.querySelector('[data-testid="stMainBlockContainer"]')?.scrollHeight ?? 700;
  const all = !data.views.length ? page : view === "graph" ? graph : view === "code" ? code : graph + code - BARS;
  return Math.round(Math.min(TALL, Math.max(SHORT, HEAD + all)));
}

/** @param {Data} data @param {string} view */
function frame(data, view) {
  const shown = view || (data.page === "lessons" ? "lesson" : data.page);
  // some pages have a view of their own, which stands in their address already
  const address = link(data.query.view ? { embed: "true" } : { embed: "true", view: shown });
  const title = quoted(data.title), tall = height(data, view);
  return `<iframe src="${quoted(address)}" title="${title}" width="100%" height="${tall}" loading="lazy" style="border: 1px solid #ccc; border-radius: 8px"></iframe>`;
}

/** @param {Data} data */
function image(data) {
  const shown = shownPicture();
  if (!shown) return "";
  const { width } = shown.viewBox.baseVal, bytes = new TextEncoder().encode(alone(shown, "light"));
  const source = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return `<a href="${quoted(link())}"><img src="data:image/svg+xml;base64,${source}" width="${Math.round(width)}" alt="${quoted(data.title)}"></a>`;
}

/** @param {HTMLElement} root @param {boolean} open */
function shut(root, open = false) {
  part(root, ".shared").hidden = !open;
  part(root, ".share").setAttribute("aria-expanded", String(open));
}

/** @param {HTMLElement} root @param {Data} data */
export async function share(root, data) {
  const box = part(root, ".shared"), { words } = data;
  if (!box.hidden) return shut(root);
  const status = document.createElement("p"), rows = document.createElement("div");
  status.setAttribute("role", "status");
  box.setAttribute("aria-label", words.link);
  box.replaceChildren(status, rows);
  shut(root, true);
  /** @param {string} text @param {string} done */
  const copy = async (text, done) => {
    try {
      await navigator.clipboard.writeText(text);
      status.textContent = done;
    } catch {
      status.textContent = words["by-hand"]; // without a safe context a page may not write to the clipboard
      const field = document.createElement("textarea");
      Object.assign(field, { value: text, readOnly: true, rows: 3 });
      field.setAttribute("aria-label", words.link);
      status.append(field);
      field.select();
    }
  };
  /** @param {string} label @param {() => void} act */
  const button = (label, act) => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", textContent: label, onclick: act });
    return made;
  };
  const row = (/** @type {(Node | string)[]} */ ...parts) => {
    const made = document.createElement("div");
    made.append(...parts);
    rows.append(made);
  };
  const fits = data.fragment.length <= data.most;
  if (fits) {
    const embed = (/** @type {string} */ view) => copy(frame(data, view), data.open ? words["embed-copied"] : words["embed-closed"]);
    if (data.views.length) {
      const pick = document.createElement("select");
      pick.append(...data.views.map((view) => new Option(words[view], view)));
      pick.setAttribute("aria-label", words.view);
      row(button(words.embed, () => embed(pick.value)), pick);
      row(button(words.hidden, () => copy(link({ hide: "grad" }), words["hidden-copied"])));
      if (shownPicture()) row(button(words.picture, () => copy(image(data), words["picture-copied"])));
    } else row(button(words.embed, () => embed("")));
  }
  if (data.views.length) {
    row(button(words.present, () => {
      shut(root);
      document.dispatchEvent(new CustomEvent("explorer:present"));
    }));
    const files = document.createElement("p");
    files.textContent = words.files;
    rows.append(files);
  }
  const away = (/** @type {Event} */ event) => {
    const key = /** @type {KeyboardEvent} */ (event).key;
    if (event.type === "keydown" ? key !== "Escape" : root.contains(/** @type {Node} */ (event.target))) return;
    shut(root);
    document.removeEventListener("pointerdown", away);
    document.removeEventListener("keydown", away);
    if (key) part(root, ".share").focus();
  };
  document.addEventListener("pointerdown", away);
  document.addEventListener("keydown", away);
  if (fits) await copy(link(), words.copied);
  else status.textContent = words.large;
}
