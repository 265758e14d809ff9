// Runs changes as fast as answers arrive: one at a time, then the newest.

import { send } from "./send.js";

/** @typedef {import("./types").State} State */

const LATE = 2000; // ms after which an answer is no longer waited for

const app = () => document.querySelector('[data-testid="stApp"]');

// Runs the newest text at once, or as soon as the page has shown the answer to the last one.
/** @param {State} state @param {boolean} settled */
export function follow(state, settled) {
  clearTimeout(state.timer);
  state.wanted = { settled };
  next(state);
}

/** @param {State} state */
function next(state) {
  if (!state.wanted) return;
  clearTimeout(state.late);
  const drawing = app()?.dataset.testScriptState === "running";
  const waited = performance.now() - state.sent;
  if (drawing || (state.answered !== state.count && waited < LATE)) {
    state.late = setTimeout(() => next(state), drawing ? LATE : LATE - waited);
    return;
  }
  const { settled } = state.wanted;
  state.wanted = null;
  send(state, { settled });
}

// Tells `next` when the page has drawn all of an answer. Returns how to stop.
/** @param {State} state */
export function listenForAnswers(state) {
  const seen = new MutationObserver(() => next(state));
  const shown = app();
  if (shown) seen.observe(shown, { attributes: true, attributeFilter: ["data-test-script-state"] });
  next(state);
  return () => seen.disconnect();
}
