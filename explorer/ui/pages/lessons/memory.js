// The lessons' data stored in this browser, and the keyboard focus of the next question.

import { stored } from "../../components/storage.js";

/** @typedef {{ keep: Record<string, unknown> | null, focus: string, into: string }} Data */

const NAME = "explorer:course";
const state = (globalThis.explorerCourse ??= { written: "", focus: null });

/** @returns {Record<string, unknown>} */
const kept = () => {
  try {
    return JSON.parse(stored("localStorage", NAME) ?? "{}") ?? {};
  } catch {
    return {};
  }
};

const LOOK = 80, LOOKS = 375; // ms between two looks, and how many

// The focused field or button disappears with its question: the first of the next one gets the focus, unless the user
// has moved it elsewhere.
/** @param {string} focus @param {string} into */
function move(focus, into) {
  const before = state.focus;
  state.focus = focus;
  if (before === null || before === focus || !focus) return;
  const had = document.activeElement;
  let left = LOOKS;
  /** @type {Element | null} */
  let given = null; // it may be drawn anew, and is then given the keyboard again
  clearInterval(state.timer);
  state.timer = setInterval(() => {
    const now = document.activeElement, place = document.querySelector(`.st-key-${into}`);
    const first = place?.querySelector("input, textarea") ?? place?.querySelector("button:not(:disabled), [tabindex='0']");
    const free = !now || now === document.body || now === had || now === given;
    if (first && first !== had && first !== now && free) (given = first).focus();
    if (--left <= 0 || !free) clearInterval(state.timer);
  }, LOOK);
}

/** @param {Page<Data>} page */
export function mount({ data, setStateValue }) {
  move(data.focus, data.into);
  if (data.keep === null) return setStateValue("kept", kept());
  const text = JSON.stringify(data.keep);
  if (text !== state.written) stored("localStorage", NAME, (state.written = text));
}
