// What the player is made of: buttons, the track of its chapters, the sentence, and the field of Predict.

import { icon } from "./icons.js";
import { drawLoss } from "./loss.js";

/** @typedef {import("./rounds.js").Part} Part */
/**
 * @typedef {{ root: HTMLElement, first: HTMLButtonElement, back: HTMLButtonElement, play: HTMLButtonElement,
 *   next: HTMLButtonElement, last: HTMLButtonElement, track: HTMLElement, count: HTMLElement, loss: HTMLElement, box: HTMLInputElement,
 *   sentence: HTMLElement, note: HTMLElement, guess: HTMLFormElement, field: HTMLInputElement }} Parts
 */
/**
 * What the buttons do. `go`: a moment that was pressed or dragged to; `round`: a round, by its position, and `release`,
 * when it is let go; `speed`: how many times as fast.
 * @typedef {{ first(): void, back(): void, toggle(): void, forward(): void, last(): void, go(k: number): void,
 *   round(position: number): void, release(): void,
 *   speed(times: number): void, predict(on: boolean): void, answer(): void }} Acts
 */

const SPEEDS = [0.5, 1, 2, 4];
const FEW = 4; // chapters up to which each has a name; with more, only a round's number is shown
const EACH = 120; // moments up to which each has its own mark
const ROUNDS = 8; // rounds from which on a round that is not open is one mark
const MARKS = 120; // rounds from which on several are one mark
const DENSE = 12, CROWDED = 60, TIGHT = 30; // elements of the track, or marks of a chapter, above which the gaps shrink
/** @template {keyof HTMLElementTagNameMap} Tag @param {Tag} tag @param {string} name @param {Partial<HTMLElementTagNameMap[Tag]>} [props] */
function element(tag, name, props = {}) {
  return Object.assign(document.createElement(tag), { className: name, ...props });
}

/** @param {HTMLElement} root @param {Record<string, string>} words @param {number} times @param {Acts} acts @returns {Parts} */
export function build(root, words, times, acts) {
  /** @param {import("./icons.js").Icon} name @param {string} label @param {() => void} act @param {string} [extra] */
  const button = (name, label, act, extra = "") => {
    const made = element("button", extra, { type: "button", title: label, innerHTML: icon(name), onclick: act });
    made.setAttribute("aria-label", label);
    return made;
  };
  const ui = /** @type {Parts} */ ({ root });
  ui.first = button("first", words.first, acts.first);
  ui.back = button("back", words.back, acts.back);
  ui.play = button("play", words.play, acts.toggle, "go");
  ui.next = button("next", words.next, acts.forward);
  ui.last = button("last", words.last, acts.last);
  const controls = element("div", "ctl");
  controls.append(ui.first, ui.back, ui.play, ui.next, ui.last);
  ui.track = element("div", "track", { tabIndex: 0, title: words.keys });
  ui.track.setAttribute("role", "slider");
  ui.track.setAttribute("aria-label", words.player);
  dragged(ui.track, acts);
  ui.count = element("span", "stepno");
  ui.loss = element("span", "loss-now");
  const speed = element("select", "speed", { title: words.speed });
  speed.setAttribute("aria-label", words.speed);
  for (const one of SPEEDS) speed.append(element("option", "", { value: String(one), textContent: `${one}×`, selected: one === times }));
  speed.onchange = () => acts.speed(Number(speed.value));
  const predict = element("label", "toggle");
  ui.box = element("input", "", { type: "checkbox" });
  ui.box.onchange = () => acts.predict(ui.box.checked);
  predict.append(ui.box, words.predict);
  const more = element("div", "more");
  const where = element("div", "where");
  where.append(ui.count, ui.loss);
  more.append(where, speed, ...(words.predict ? [predict] : []));
  ui.sentence = element("p", "sentence");
  ui.sentence.setAttribute("aria-live", "polite");
  ui.guess = element("form", "guess", { hidden: true });
  ui.field = element("input", "", { type: "text", inputMode: "text", autocomplete: "off", maxLength: 60, spellcheck: false });
  ui.field.setAttribute("aria-label", words.answer);
  ui.note = element("p", "reply", { hidden: true });
  ui.note.setAttribute("aria-live", "polite");
  ui.guess.append(ui.field, element("button", "", { type: "submit", textContent: words.check }));
  ui.guess.onsubmit = (event) => {
    event.preventDefault();
    acts.answer();
  };
  const texts = element("div", "sentence-now"), saying = element("div", "saying");
  texts.append(ui.sentence, ui.note);
  saying.append(texts, ui.guess);
  root.replaceChildren(controls, ui.track, more, saying);
  root.setAttribute("aria-label", words.player);
  return ui;
}

// Pressing or dragging on the track chooses the moment or round under the pointer.
/** @param {HTMLElement} track @param {Acts} acts */
function dragged(track, acts) {
  const under = (/** @type {PointerEvent} */ event) => {
    const marks = [.../** @type {NodeListOf<HTMLElement>} */ (track.querySelectorAll(".marks i"))];
    const found = marks.find((one) => event.clientX <= one.getBoundingClientRect().right) ?? marks[marks.length - 1];
    if (!found) return;
    const box = found.getBoundingClientRect(), whole = "first" in found.dataset;
    const [from, to] = (whole ? ["first", "last"] : ["from", "to"]).map((name) => Number(found.dataset[name]));
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / Math.max(1, box.width)));
    const at = Math.min(to, from + Math.floor(share * (to - from + 1)));
    whole ? acts.round(at) : acts.go(at);
  };
  track.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    track.setPointerCapture(event.pointerId);
    under(event);
  });
  track.addEventListener("pointermove", (event) => track.hasPointerCapture(event.pointerId) && under(event));
  track.addEventListener("lostpointercapture", acts.release);
}

/**
 * One or several chapters as one element; `last`: its last round, `until`: its last position; `losses`: of its rounds.
 * @typedef {Part & { last: number, until?: number, closed: boolean, losses: (number | null)[] }} Piece
 */
/** @type {WeakMap<HTMLElement, { all: Part[], open: number, marks: HTMLElement[], drawn: Piece[], log: string }>} */
const tracks = new WeakMap(); // each track's contents
const sizes = new ResizeObserver((all) => all.forEach(({ target }) => curve(/** @type {HTMLElement} */ (target))));

/** @param {HTMLElement} track */
function curve(track) {
  const built = tracks.get(track);
  if (built) drawLoss(track, built.drawn, built.log);
}

// The drawn chapters: of many rounds only the open one is expanded, others are single marks, and of very many rounds
// several share a mark.
/** @param {Part[]} shown @param {number} open @returns {Piece[]} */
function pieces(shown, open) {
  const rounds = new Set(shown.map((one) => one.round).filter((one) => one >= 0)).size;
  const together = Math.ceil(rounds / MARKS), group = (/** @type {Part} */ one) => Math.floor((one.position ?? one.round) / together);
  /** @type {Piece[]} */
  const found = [];
  let given = -1; // the round whose loss is there
  for (const one of shown) {
    const closed = rounds >= ROUNDS && one.round >= 0 && one.round !== open, before = found[found.length - 1];
    const losses = one.loss === undefined || one.round === given ? [] : [one.loss];
    if (losses.length) given = one.round;
    if (closed && before?.closed && group(one) === group(before)) {
      Object.assign(before, { to: one.to, last: one.round, until: one.position, count: before.count + one.count });
      before.losses.push(...losses);
    } else found.push({ ...one, last: one.round, until: one.position, closed, losses });
  }
  return found;
}

// The chapters in their colours, and how far the hand is: at moment `k`, or at rest on the round of a position.
/** @param {HTMLElement} track @param {Part[]} all @param {number} k @param {number} at @param {number} open @param {Record<string, string>} words */
export function drawTrack(track, all, k, at, open, words) {
  const before = tracks.get(track), same = before?.all === all && before.open === open;
  const marks = same ? before.marks : buildTrack(track, all, open, words);
  for (const mark of marks) {
    const { from, to, first, last, end } = mark.dataset, begins = Number(from), ends = Number(to), until = Number(last);
    const done = until < at || (until === at && mark.dataset.first === undefined); // at rest
    mark.classList.toggle("done", k ? k > ends : done);
    mark.classList.toggle("now", k ? begins <= k && k <= ends : end !== undefined && Number(first ?? last) <= at && at <= until);
    const share = k ? `${(100 * Math.max(0, Math.min(ends, k) - begins + 1)) / (ends - begins + 1)}%` : done ? "100%" : "0%";
    if (ends > begins && mark.style.getPropertyValue("--share") !== share) mark.style.setProperty("--share", share);
  }
  const count = all[all.length - 1]?.to ?? 0;
  track.setAttribute("aria-valuemin", "1");
  track.setAttribute("aria-valuemax", String(Math.max(1, count)));
  track.setAttribute("aria-valuenow", String(k || Math.max(1, count)));
}

/** @param {HTMLElement} track @param {Part[]} all @param {number} open @param {Record<string, string>} words @returns {HTMLElement[]} */
function buildTrack(track, all, open, words) {
  const drawn = pieces(all.filter((one) => one.count || (one.position ?? -1) >= 0), open);
  const each = drawn.filter((one) => !one.closed).reduce((sum, one) => sum + one.count, 0) <= EACH;
  const trains = new Set(drawn.flatMap((one) => (one.losses.length ? [one.round] : []))).size > 1;
  track.replaceChildren(
    ...drawn.map((one, i) => {
      const starts = one.round >= 0 && one.round !== drawn[i - 1]?.round && !one.closed;
      const label = drawn.length <= FEW ? words[one.kind] : starts ? String(one.round + 1) : "";
      return chapter(one, each, label, words);
    }),
    ...(trains ? [element("div", "loss")] : []),
  );
  track.classList.toggle("has-loss", trains);
  track.classList.toggle("is-dense", drawn.length >= DENSE);
  track.classList.toggle("is-crowded", drawn.length > CROWDED);
  const marks = /** @type {HTMLElement[]} */ ([...track.querySelectorAll(".marks i")]);
  for (const [i, mark] of marks.entries()) // the last mark of a round
    if (mark.dataset.last !== marks[i + 1]?.dataset.last) mark.dataset.end = "";
  tracks.set(track, { all, open, marks, drawn, log: words.log });
  curve(track);
  sizes.observe(track);
  return marks;
}

/** @param {Piece} piece @param {boolean} each @param {string} label @param {Record<string, string>} words */
function chapter({ kind, from, to, round, last, count, position, until, closed }, each, label, words) {
  const name = words[kind], made = element("div", `chapter ${closed ? "is-closed" : kind}`, { title: name });
  made.style.flexGrow = String(closed ? 0.7 : Math.max(2, to - from + 1));
  const within = words.round.replace("{round}", last > round ? `${round + 1}–${last + 1}` : String(round + 1));
  if (round >= 0) made.title = closed ? within : `${within}: ${name}`;
  const marks = element("div", "marks");
  const spans = each && !closed ? Array.from({ length: to - from + 1 }, (_, i) => [from + i, from + i]) : [[from, to]];
  made.classList.toggle("is-dense", spans.length >= TIGHT);
  made.classList.toggle("is-counted", !count);
  marks.append(
    ...spans.map(([first, last]) => {
      const mark = element("i", last > first ? "long" : "");
      Object.assign(mark.dataset, { from: first, to: last });
      if (position !== undefined) Object.assign(mark.dataset, closed ? { first: position, last: until } : { last: position });
      return mark;
    }),
  );
  made.classList.toggle("is-named", Boolean(label));
  made.append(element("small", "", { textContent: label }), marks);
  return made;
}
