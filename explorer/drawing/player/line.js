// A run's timeline from the server: the state at each moment. Nothing here touches the page.

/** @typedef {[line: number, shape: string, value: string, label?: string, gradient?: string, held?: string]} Beside */
/**
 * A chapter; `lossText`: the loss of its round of a training, in words; `loss`: the same where the round is one of the place whose
 * curve is drawn, null where it is no number; `curve`: what is drawn, where a run has the losses of several places.
 * @typedef {{ kind: "forward" | "backward" | "update" | "after", count: number, round: number, scene?: number,
 *   backward?: number, loss?: number | null, lossText?: string, curve?: string }} Chapter
 */
/**
 * A moment: `says` is HTML; `at`: cell and line that run; `card`: lit; `edges`: carry a gradient now; `freed`: what these cards
 * kept is released; `beside`: what stands at ends of lines from here on; `out`: what the program has shown, a row of `outs`; `drawn`: cards with the values of then, null: as in the picture;
 * `raised`: by card the version before and after a write, in words;
 * `held`: leaves whose `.grad` is another than the picture's from here on: whether there is one, null: as in the picture.
 * @typedef {{ says: string, at?: [cell: number, line: number], card?: string, edges?: string[], freed?: string[],
 *   beside?: [cell: number, beside: Beside][], out?: number, drawn?: Record<string, string | null>, raised?: Record<string, string>, held?: Record<string, boolean | null> }} Moment
 */
/**
 * A picture in which moments are shown, by card the moment, from 1: `born`, from which it exists; `settled`, from which its
 * value is the drawn one, where that is later; `reached`, from which it has its gradient. `cards`: all but data; `lines`:
 * beside which lines their gradients stand; `svg`: its parts, null for one that is as in the scene before.
 * @typedef {{ cards: string[], lines: [cell: number, line: number, cards: string[]][], born: Record<string, number>,
 *   settled: Record<string, number>, reached: Record<string, number>, svg?: (string | null)[], legend?: string, position?: number | null }} Scene
 */
/**
 * `own`: the scene that the server's own picture is; `outs`: cell, HTML, whether it is all.
 * @typedef {{ moments: Moment[], chapters: Chapter[], scenes: Scene[], own: number,
 *   outs: [cell: number, html: string, all: boolean][] }} Line
 */
/** @typedef {Chapter & { from: number, to: number }} NumberedChapter the numbers of its first and its last moment, from 1 */

/** @type {WeakMap<Chapter[], NumberedChapter[]>} */
const known = new WeakMap();

/** @param {Chapter[]} chapters @returns {NumberedChapter[]} */
export function stretches(chapters) {
  let from = 1;
  const found = known.get(chapters) ?? chapters.map((one) => {
    const to = from + one.count - 1, stretch = { ...one, from, to };
    from = to + 1;
    return stretch;
  });
  known.set(chapters, found);
  return found;
}

/** @param {Chapter[]} chapters */
export const countOf = (chapters) => chapters.reduce((sum, one) => sum + one.count, 0);

/** @type {WeakMap<Chapter[], (number | undefined)[]>} */
const scenes = new WeakMap(); // by the chapters of a line the scene of each moment

// The scene of a moment; -1 without a picture.
/** @param {Line} line @param {number} k */
export function sceneAt({ chapters, own }, k) {
  const known = scenes.get(chapters) ?? chapters.flatMap(({ count, scene }) => Array.from({ length: count }, () => scene));
  scenes.set(chapters, known);
  return known[k - 1] ?? own;
}

/** @type {WeakMap<Line, Map<number, number[]>>} */
const within = new WeakMap(); // by scene its moments, from 0

/** @param {Line} line @param {number} scene @returns {number[]} */
function momentsOf(line, scene) {
  const all = within.get(line) ?? line.moments.reduce((found, _, i) => {
    const at = sceneAt(line, i + 1);
    (found.get(at) ?? found.set(at, []).get(at))?.push(i);
    return found;
  }, /** @type {Map<number, number[]>} */ (new Map()));
  within.set(line, all);
  return all.get(scene) ?? [];
}

// The parts of a scene's drawing.
/** @param {Line} line @param {number} scene @returns {string[]} */
export function partsOf({ scenes }, scene) {
  return (scenes[scene].svg ?? []).map((part, i) => {
    let at = scene;
    while (part === null && at > 0) part = scenes[--at].svg?.[i] ?? null;
    return part ?? "";
  });
}

// The first moment of the next or previous chapter.
/** @param {NumberedChapter[]} all @param {number} k @param {1 | -1} way */
export function chapterFrom(all, k, way) {
  const starts = all.filter((one) => one.count).map((one) => one.from);
  if (way > 0) return starts.find((one) => one > k) ?? 0;
  return starts.filter((one) => one < (k || Infinity)).pop() ?? 1;
}

/** @param {Moment | undefined} moment */
const placeOf = (moment) => String(moment?.at ?? "");

// The next or previous moment at which another line runs; 0: the end.
/** @param {Line} line @param {number} k @param {1 | -1} way */
export function lineFrom(line, k, way) {
  const { moments } = line, count = moments.length;
  let at = k || (way > 0 ? 0 : count + 1);
  const here = placeOf(moments[at - 1]);
  do at += way;
  while (at >= 1 && at <= count && placeOf(moments[at - 1]) === here);
  if (way < 0) while (at > 1 && placeOf(moments[at - 2]) === placeOf(moments[at - 1])) at--; // its beginning
  return at > count ? 0 : Math.max(1, at);
}

// Where a line begins to run, each time.
/** @param {Line} line @param {number} cell @param {number} number @returns {number[]} */
export function runsOf(line, cell, number) {
  const wanted = `${cell},${number}`;
  return line.moments.flatMap((one, i) => (placeOf(one) === wanted && placeOf(line.moments[i - 1]) !== wanted ? [i + 1] : []));
}

// When a card was created or, during backward, its gradient was complete; 0 for never.
/** @param {Line} line @param {number} k @param {string} card */
export function momentOf(line, k, card) {
  const scene = line.scenes[sceneAt(line, k)];
  if (!scene) return 0;
  return (begun(scene, k) && scene.reached[card]) || scene.born[card] || 0;
}

/** @param {Scene} scene @param {number} k */
const begun = (scene, k) => Object.values(scene.reached).some((one) => one <= k);

/** @type {WeakMap<Line, { k: number, cells: Map<number, Map<number, Beside>> }>} */
const reached = new WeakMap(); // what stood at the ends of lines at the last moment that was asked about

/** @param {Line} line @param {number} k @returns {Beside[][]} */
function besideAt(line, k) {
  const before = reached.get(line), onward = before && before.k <= k;
  const cells = onward ? before.cells : new Map();
  for (const { beside } of line.moments.slice(onward ? before.k : 0, k))
    for (const [cell, shown] of beside ?? []) {
      if (!cells.has(cell)) cells.set(cell, new Map());
      cells.get(cell)?.set(shown[0], shown);
    }
  reached.set(line, { k, cells });
  const count = Math.max(0, ...[...cells.keys()].map((one) => one + 1));
  return Array.from({ length: count }, (_, i) => [...(cells.get(i)?.values() ?? [])]);
}

/** @param {Line} line @param {number} k @returns {[cell: number, html: string, all: boolean]} */
function outAt(line, k) {
  for (let i = k - 1; i >= 0; i--) {
    const { out } = line.moments[i];
    if (out !== undefined) return line.outs[out];
  }
  return [0, "", false];
}

// What the page shows at a moment, from 1.
/** @param {Line} line @param {number} k @returns {Stepped} */
export function shownAt(line, k) {
  const at = sceneAt(line, k), scene = /** @type {Scene} */ (line.scenes[at]) ?? { cards: [], lines: [], born: {}, settled: {}, reached: {} };
  const since = momentsOf(line, at).filter((i) => i < k).map((i) => line.moments[i]), now = line.moments[k - 1];
  /** @type {Record<string, boolean | null>} */
  const held = Object.assign({}, ...since.map((one) => one.held ?? {}));
  const waiting = new Set(scene.cards.filter((id) => !(held[id] ?? scene.reached[id] <= k)));
  const later = (/** @type {Record<string, number>} */ of) => Object.entries(of).filter(([, made]) => made > k).map(([id]) => id);
  return {
    card: now.card ?? "",
    edges: now.edges ?? [],
    past: since.slice(0, -1).flatMap((one) => one.edges ?? []),
    waiting: [...waiting],
    lines: scene.lines.flatMap(([cell, number, of]) => (of.some((id) => waiting.has(id)) ? [[cell, number]] : [])),
    asked: [],
    follow: at === line.own && Boolean(now.card),
    begun: begun(scene, k),
    position: scene.position ?? undefined,
    elsewhere: at !== line.own,
    absent: later(scene.born),
    growing: later(scene.settled),
    fresh: Object.entries(scene.born).filter(([, made]) => made === k).map(([id]) => id),
    drawn: Object.assign({}, ...since.map((one) => one.drawn ?? {})),
    written: Object.keys(now.drawn ?? {}),
    raised: now.raised ?? {},
    freed: since.flatMap((one) => one.freed ?? []),
    at: now.at ?? null,
    beside: besideAt(line, k),
    out: outAt(line, k),
  };
}
