// What Streamlit does not put into the document, or only in English: light or dark, the language, its own words.

import { stops } from "../../drawing/stops.js";
import { stored } from "../components/storage.js";

/** @typedef {{ lang: string, page: string, skip: string, words: Record<string, string>, own: { name: string, lang: string } }} Data */

const paper = matchMedia("print");

// Streamlit shows light or dark only by its colours; the tokens read data-theme on the root. Paper is light.
function mark() {
  const { dataset } = document.documentElement;
  if (paper.matches) {
    if (dataset.theme === "dark") dataset.screen = "dark"; // plotly has drawn for it
    return void (dataset.theme = "light");
  }
  delete dataset.screen;
  const app = document.querySelector(".stApp");
  if (!app) return; // Streamlit has taken the app away
  const [r, g, b] = (getComputedStyle(app).backgroundColor.match(/\d+/g) ?? []).map(Number);
  dataset.theme = 0.299 * r + 0.587 * g + 0.114 * b < 128 ? "dark" : "light";
}

// Words inside widgets are in the style sheet as --word-…, because Streamlit redraws them.
/** @param {Data} data */
function speak({ lang, skip, words }) {
  const root = document.documentElement;
  root.lang = lang;
  for (const [name, word] of Object.entries(words)) root.style.setProperty(`--word-${name}`, JSON.stringify(word));
  const link = document.querySelector('[data-testid="stSkipToContent"]');
  if (link) link.textContent = skip;
}

// If messages arrive for elements that have changed, Streamlit removes the whole app and leaves a white page. The address
// and the draft have its content.
const HEALED = "explorer:healed", APART = 10_000; // ms between two loads for this reason

function heal() {
  const root = document.getElementById("root");
  if (!root || globalThis.explorerHeals) return;
  globalThis.explorerHeals = new MutationObserver(() => {
    if (root.childElementCount || document.querySelector(".stApp")) return;
    const now = Date.now();
    if (now - Number(stored("sessionStorage", HEALED)) < APART) return;
    if (stored("sessionStorage", HEALED, String(now)) === undefined) return; // without storage, nothing limits how often
    location.reload();
  });
  globalThis.explorerHeals.observe(root, { childList: true });
}

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data }) {
  heal();
  stops();
  document.querySelector('[data-testid="stMain"]')?.setAttribute("tabindex", "-1"); // it scrolls without being a stop
  mark();
  speak(data);
  if (data.own.lang) stored("localStorage", data.own.name, data.own.lang); // read by the first script (server.py)
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const later = () => setTimeout(mark, 50); // when Streamlit has changed its colours
  scheme.addEventListener("change", later);
  paper.addEventListener("change", mark);
  return () => {
    scheme.removeEventListener("change", later);
    paper.removeEventListener("change", mark);
  };
}
