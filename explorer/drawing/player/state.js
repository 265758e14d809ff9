// The player's state and what follows from it: the known line, the open question.

import { countOf, stretches } from "./line.js";
import { endOf, roundsOf, withRounds } from "./rounds.js";

/** @typedef {import("./line.js").Line} Line */
/** @typedef {import("./line.js").Moment} Moment */
/** @typedef {import("./line.js").Chapter} Chapter */
/** @typedef {import("./controls.js").Parts} Parts */
/** @typedef {{ says: string, note: string, card: string, edges: string[], at: string, line: [cell: number, line: number] | null }} Question */
/**
 * `begin`: how many steps lead forward; `born`, `settled`: as of a scene, 0 for a card that is there from the beginning.
 * @typedef {{ number: number, reached: number, begin: number, ask: Question | null, verdict?: string, start: string[],
 *   born: Record<string, number>, settled: Record<string, number>, steps: (Moment & { arrived: string[] })[] }} Predict
 */
/**
 * What the server sends (player.py); says, rest, note and verdict are HTML. `chapters`: how long the line is about, before
 * it comes; `key`: which line; `film`: which rounds; `alone`: in a page of its own; `addressed`: its moment stands in the address.
 * @typedef {{ chapters: Chapter[], cards: string[], rest: string, words: Record<string, string>,
 *   stale: boolean, predict: Predict | null, key: string, film?: string, alone?: boolean, addressed?: boolean,
 *   lines: [cell: number, line: number, cards: string[]][] }} Data
 */
/**
 * `k`: the moment shown, from 1; 0: the whole picture, at rest. `sent`: when the server was asked last. `line`: the one
 * that came, of `lineOf`; `roundSentence`: the sentence of the round that a film shows; `scene`: the one that the graph shows, where it is not the own; `wanted`: the line that was asked for; `next`: the moment to go to when it comes.
 * @typedef {{ k: number, speed: number, playing: boolean, sent: number, data: Data, ui: Parts, line?: Line, lineOf?: string, roundSentence?: string, scene?: number,
 *   shown?: string, built?: string, open: number, opening?: number, timer?: number, wanted?: string, next: number, written?: number,
 *   set(name: string, value: unknown): void }} State
 */

// The question that is open at the step shown, null when there is none. While Predict is on the server has the further
// steps, and the answers.
/** @param {State} state */
export const asked = (state) => {
  const predict = state.data.predict;
  return predict?.ask && state.k > predict.reached ? predict.ask : null;
};

// The known line, null until the server has sent it.
/** @param {State} state @returns {Line | null} */
export function lineOf(state) {
  const { predict, chapters, key, cards, lines } = state.data;
  if (!predict) return state.line && state.lineOf === key ? state.line : null;
  /** @type {Record<string, number>} */
  const reached = Object.fromEntries(predict.start.map((id) => [id, predict.begin + 1]));
  predict.steps.forEach(({ arrived }, i) => arrived.forEach((id) => (reached[id] = i + 1)));
  const { ask, born, settled } = predict, question = ask ? [{ says: ask.says, card: ask.card, at: ask.line ?? undefined }] : [];
  return { moments: [...predict.steps, ...question], chapters, scenes: [{ cards, lines, born, settled, reached }], own: 0, outs: [] };
}

/** @param {State} state */
export const chaptersOf = (state) => withRounds(stretches(lineOf(state)?.chapters ?? state.data.chapters), roundsOf(state.data.film));
/** @param {State} state */
export const lengthOf = (state) => countOf(lineOf(state)?.chapters ?? state.data.chapters);

// How far one can go without asking the server.
/** @param {State} state */
export const known = (state) => {
  const predict = state.data.predict;
  return predict ? predict.reached + (predict.ask ? 1 : 0) : (lineOf(state)?.moments.length ?? 0);
};

/** @param {State} state */
export const ended = (state) => state.k >= known(state) && known(state) >= lengthOf(state) && !asked(state);

// At rest on a round before the last: its last moment; 0 at the end of the run.
/** @param {State} state */
export function restsAt(state) {
  const rounds = roundsOf(state.data.film);
  return !state.k && rounds && rounds.at < rounds.numbers.length - 1 ? endOf(chaptersOf(state), rounds.at) : 0;
}
