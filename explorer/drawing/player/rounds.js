// The rounds of a training loop on the player's track: those with moments, and between them those only counted. A page
// whose server draws any round provides explorerRounds (ui/pages/autograd/strip.js).

/** @typedef {import("./line.js").NumberedChapter} NumberedChapter */
/** @typedef {NumberedChapter & { position?: number }} Part a chapter; `position`: of its round in the film that the page shows */

/** @type {WeakMap<NumberedChapter[], { numbers?: number[], found: Part[] }>} */
const known = new WeakMap();

// The rounds of the page's film, or undefined.
/** @param {string | undefined} film */
export const roundsOf = (film) => (film && globalThis.explorerRounds?.key === film ? globalThis.explorerRounds : undefined);

// The chapters with the rounds that have no moments.
/** @param {NumberedChapter[]} all @param {Rounds | undefined} rounds @returns {Part[]} */
export function withRounds(all, rounds) {
  if (!rounds) return all;
  const before = known.get(all);
  if (before?.numbers === rounds.numbers) return before.found;
  const { numbers, backwards, losses, lossTexts, curve } = rounds;
  /** @type {Part[]} */
  const found = [];
  let next = 0;
  const counted = (/** @type {number} */ until, /** @type {number} */ to) => {
    for (; next < until; next++)
      found.push({
        ...{ kind: "forward", count: 0, from: to + 1, to, position: next },
        ...{ round: numbers[next] - 1, backward: -1, loss: losses[next], lossText: lossTexts[next], curve },
      });
  };
  const places = new Map(backwards.map((one, i) => [one, i]));
  places.delete(-1);
  const end = Math.max(...all.map((one, i) => (places.has(one.backward ?? -1) ? i : -1)));
  all.forEach((one, i) => {
    const position = places.get(one.backward ?? -1);
    if (position !== undefined) {
      counted(position, one.from - 1);
      next = Math.max(next, position + 1);
    }
    found.push({ ...one, position });
    if (i === end) counted(numbers.length, one.to);
  });
  known.set(all, { numbers, found });
  return found;
}

// The loss of the last round whose backward has begun at a moment, in words; "" for none.
/** @param {NumberedChapter[]} all @param {number} k */
export function lossAt(all, k) {
  const done = all.filter((one) => one.from <= k && one.kind !== "forward" && one.lossText);
  return done[done.length - 1]?.lossText ?? "";
}

// The last moment of a round, or 0.
/** @param {Part[]} all @param {number} position */
export const endOf = (all, position) => Math.max(0, ...all.map((one) => (one.position === position && one.count ? one.to : 0)));
