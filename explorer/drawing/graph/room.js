// The pane of a picture: its scale, its visible part, and where it opens.

import { fromAfar } from "./far.js";
import { besideCards, drawMap, showSeen } from "./map.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Box} Box */
/** @typedef {import("./types").CardBox} CardBox */

const READ = 0.6; // the least scale at which a picture opens whole: its numbers are read
const LEAST = 0.84; // the scale at which a part of a larger one opens: its small print has 10 px
const WHOLE = 0.2; // below this scale not even a reader who asks for the whole picture sees anything
const MOST = 3, RESTS = 400, FLIGHT = 420; // the largest scale, ms after which a zoom has ended, ms of a way to a card
const CLEAR = 20; // px between a card and the edge that it does not touch
const BEGINNING = 220; // px of the upper end of a picture with which a page that scrolls begins
const SHEET = 900; // px of height on a printed sheet
const POINTS = ["is-parting", "is-failed", "noted", "out"]; // classes of the card at which a picture opens: where two runs part, the fault, where NaN or ∞ begins, the output

/** @param {State} state @returns {NodeListOf<SVGElement>} */
export const cards = (state) => state.svg.querySelectorAll("g.node");
/** @param {SVGElement} card */
export const idOf = (card) => card.dataset.id ?? "";
/** @param {State} state @param {string | null | undefined} id */
export const byId = (state, id) => [...cards(state)].find((card) => card.dataset.id === id);

/** @param {State} state */
export function apply(state) {
  const box = state.svg.viewBox.baseVal;
  state.svg.style.width = `${Math.round(box.width * state.scale)}px`;
  state.svg.style.height = `${Math.round(box.height * state.scale)}px`;
  fromAfar(state);
  const scale = Math.min(1, SHEET / box.height); // to fit on one sheet
  state.svg.style.setProperty("--sheet", `${Math.round(box.width * (scale > 0.5 ? scale : 1))}px`);
}

// Shows the whole picture if readable, otherwise a readable part; on request the whole picture at any scale.
/** @param {State} state @param {boolean} [whole] */
export function fit(state, whole = false) {
  const { svg, scroller } = state, box = svg.viewBox.baseVal;
  Object.assign(state, { whole, zoomed: false });
  for (const button of [state.more, ...Object.values(state.ends)]) button.hidden = true; // they would take their height from the room
  const style = getComputedStyle(scroller), most = Number(style.getPropertyValue("--most")) || 1; // scale of large print
  const wide = Math.min(most, (scroller.clientWidth - 2 * parseFloat(style.paddingLeft)) / box.width);
  state.grows = Boolean(style.getPropertyValue("--grows").trim()); // with the picture
  const all = state.grows ? wide : Math.min(wide, (scroller.clientHeight - 2 * parseFloat(style.paddingTop)) / box.height);
  const opens = all < (state.grows ? LEAST : READ) ? LEAST : all;
  state.scale = whole ? Math.max(WHOLE, all) : opens;
  apply(state);
  look(state);
}

// What lies under a point of the window stays under it. While a wheel or fingers move, the picture is only transformed: to
// lay out a thousand cards takes longer than a frame.
/** @param {State} state @param {number} factor @param {number} x @param {number} y */
export function glide(state, factor, x, y) {
  const { svg, scale } = state, at = (state.gliding ??= { by: 1, left: 0, top: 0, box: svg.getBoundingClientRect() });
  const by = Math.min(MOST, Math.max(WHOLE, scale * at.by * factor)) / scale, grown = by / at.by;
  const [px, py] = [x - at.box.left, y - at.box.top];
  Object.assign(at, { by, left: px - (px - at.left) * grown, top: py - (py - at.top) * grown });
  Object.assign(svg.style, { transform: `translate(${at.left}px, ${at.top}px) scale(${by})`, transformOrigin: "0 0", willChange: "transform" });
  clearTimeout(state.landing);
  state.landing = setTimeout(() => land(state), RESTS);
}

/** @param {State} state */
function land(state) {
  const { gliding, svg, scroller } = state;
  if (!gliding) return;
  clearTimeout(state.landing);
  Object.assign(state, { gliding: undefined, zoomed: true, scale: state.scale * gliding.by });
  Object.assign(svg.style, { transform: "", willChange: "" });
  apply(state);
  look(state);
  const { left, top } = svg.getBoundingClientRect(), { box } = gliding;
  scroller.scrollLeft += left - box.left - gliding.left;
  scroller.scrollTop += top - box.top - gliding.top;
}

// Zooms at once, without a point around the middle of the pane.
/** @param {State} state @param {number} factor */
export function zoom(state, factor) {
  const { left, top, width, height } = state.scroller.getBoundingClientRect();
  glide(state, factor, left + width / 2, top + height / 2);
  land(state);
}

// Brings a card to the middle, at a scale at which it is read, and shows the way there.
/** @param {State} state @param {Element} card */
export function fly(state, card) {
  const { svg, scroller } = state, before = svg.getBoundingClientRect(), frame = scroller.getBoundingClientRect();
  if (state.scale < LEAST) zoom(state, LEAST / state.scale);
  const box = card.getBoundingClientRect();
  scroller.scrollBy({ left: (box.left + box.right - frame.left - frame.right) / 2, top: (box.top + box.bottom - frame.top - frame.bottom) / 2 });
  const after = svg.getBoundingClientRect(), from = `translate(${before.left - after.left}px, ${before.top - after.top}px) scale(${before.width / after.width})`;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  svg.animate([{ transform: from, transformOrigin: "0 0" }, { transform: "none", transformOrigin: "0 0" }], { duration: FLIGHT, easing: "ease-in-out" });
}

// Counts the visible cards.
/** @param {State} state */
export function look(state) {
  const { scroller, more } = state, { left, top } = frameOf(state);
  const beyond = [left, scroller.scrollWidth - scroller.clientWidth - left, top, scroller.scrollHeight - scroller.clientHeight - top];
  if (!more.isConnected) return;
  more.hidden = beyond.every((length) => length <= 1);
  const all = [...cards(state)], drawn = boxes(state).filter((_, i) => !all[i]?.classList.contains("is-absent"));
  const whole = drawn.filter((box) => within(box, frameOf(state)));
  more.style.visibility = whole.length < drawn.length ? "" : "hidden"; // the bar keeps its height
  const at = boxOf(state, state.svg), { scale } = state, { right, bottom } = frameOf(state);
  const seen = { left: (left - at.left) / scale, right: (right - at.left) / scale, top: (top - at.top) / scale, bottom: (bottom - at.top) / scale };
  showSeen(state, more.hidden || more.style.visibility || state.grows ? null : seen); // not if the whole page scrolls
  for (const [name, button] of Object.entries(state.ends)) Object.assign(button, { hidden: more.hidden }).style.visibility = unseen(state, name) ? "" : "hidden";
  more.textContent = state.words.more.replace("{seen}", String(whole.length)).replace("{all}", String(drawn.length));
}

// The first card of a class, leaf or out, that is not in view.
/** @param {State} state @param {string} name */
export function unseen(state, name) {
  const at = boxes(state), frame = frameOf(state);
  return [...cards(state)].find(({ classList }, i) => classList.contains(name) && !classList.contains("is-absent") && at[i] && !within(at[i], frame));
}

// The last card drawn so far, if the view shows none of them.
/** @param {State} state */
export function lost(state) {
  const at = boxes(state), { left, right, top, bottom } = frameOf(state);
  const middle = (/** @type {number} */ low, /** @type {number} */ high) => (low + high) / 2;
  const drawn = [...cards(state)].map((card, i) => ({ card, box: at[i] })).filter(({ card, box }) => box && !card.classList.contains("is-absent"));
  const inView = (/** @type {Box} */ box) => {
    const x = middle(box.left, box.right), y = middle(box.top, box.bottom);
    return left <= x && x <= right && top <= y && y <= bottom;
  };
  return drawn.some(({ box }) => inView(box)) ? undefined : drawn.at(-1)?.card;
}

// What the scroller shows of its content, in px.
/** @param {State} state @returns {Box} */
function frameOf({ scroller }) {
  const { scrollLeft: left, scrollTop: top, clientWidth, clientHeight } = scroller;
  return { left, top, right: left + clientWidth, bottom: top + clientHeight };
}

/** @param {Box} box @param {Box} frame */
const within = (box, frame) =>
  box.left >= frame.left - 1 && box.right <= frame.right + 1 && box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;

// An element's position in the scroller's content, in px.
/** @param {State} state @param {Element} element @returns {Box} */
function boxOf({ scroller }, element) {
  const at = element.getBoundingClientRect(), frame = scroller.getBoundingClientRect();
  const [x, y] = [scroller.scrollLeft - frame.left, scroller.scrollTop - frame.top];
  return { left: at.left + x, right: at.right + x, top: at.top + y, bottom: at.bottom + y };
}

// The cards' boxes, measured once per picture because they never move in it.
/** @param {State} state @returns {CardBox[]} */
function boxes(state) {
  const at = boxOf(state, state.svg), { scale } = state;
  return state.places.map(({ left, right, top, bottom, ...rest }) => ({
    ...rest, left: at.left + left * scale, right: at.left + right * scale, top: at.top + top * scale, bottom: at.top + bottom * scale,
  }));
}

/** @param {Element} card */
const pointOf = (card) => [...POINTS, ""].findIndex((name) => !name || card.classList.contains(name));

/** @param {State} state */
export function measure(state) {
  const at = boxOf(state, state.svg), { scale } = state;
  state.places = [...cards(state)].map((card) => {
    const { left, right, top, bottom } = boxOf(state, card);
    const x = (/** @type {number} */ left) => (left - at.left) / scale;
    const y = (/** @type {number} */ top) => (top - at.top) / scale;
    const point = pointOf(card);
    return { left: x(left), right: x(right), top: y(top), bottom: y(bottom), point, name: POINTS[point] ?? "" };
  });
  drawMap(state);
}

// Scrolls as little as shows a card.
/** @param {State} state @param {Element} card */
export function reveal(state, card) {
  const box = boxOf(state, card), frame = frameOf(state);
  /** @param {number} low @param {number} high @param {number} from @param {number} to @param {number} clear */
  const past = (low, high, from, to, clear) => (low < from ? low - from - clear : high > to ? high - to + clear : 0);
  const left = past(box.left, box.right, frame.left, frame.right, CLEAR);
  const top = past(box.top, box.bottom, frame.top, frame.bottom, 3 * CLEAR);
  if (left || top) state.scroller.scrollBy({ left, top });
}

// Where the picture opens: with its point completely visible and as many cards as possible.
/** @param {State} state */
function open(state) {
  state.scroller.scrollTo(openAt(state));
  state.opened = frameOf(state);
  besideCards(state, boxes(state), state.opened);
}

/** @param {State} state */
function openAt(state) {
  const { scroller, grows } = state, all = boxes(state);
  const { clientWidth: width, clientHeight: height } = scroller;
  const most = { left: scroller.scrollWidth - width, top: scroller.scrollHeight - height };
  const bottom = { left: most.left, right: most.left + width, top: most.top, bottom: most.top + height, point: POINTS.length, name: "" };
  const point = all.reduce((best, box) => (box.point < best.point ? box : best), bottom);
  const begins = grows && point.point >= POINTS.indexOf("out"); // the page scrolls: of it the upper end is seen
  const clamp = (/** @type {number} */ at, /** @type {number} */ to) => Math.max(0, Math.min(to, at));
  const middle = [(point.left + point.right - width) / 2, (point.top + point.bottom - height) / 2];
  if (!point.point) return { left: clamp(middle[0], most.left), top: clamp(middle[1], most.top) }; // in both pictures alike
  const usual = {
    left: clamp(middle[0], most.left),
    top: clamp(point.top - CLEAR, most.top),
  };
  const near = all.filter((box) => begins ||
    box.right > point.right - width && box.left < point.left + width && box.bottom > point.bottom - height && box.top < point.top + height);
  const lefts = near.flatMap((box) => [box.left - CLEAR, box.right + CLEAR - width]).map((left) => clamp(left, most.left));
  const tops = near.flatMap((box) => [box.top - CLEAR, box.bottom + CLEAR - height]).map((top) => clamp(top, most.top));
  let found = usual, best = -Infinity;
  for (const left of new Set([usual.left, ...lefts]))
    for (const top of new Set([usual.top, ...tops])) {
      const frame = { left, top, right: left + width, bottom: top + height };
      if (!(begins ? near.some((box) => within(box, { ...frame, bottom: top + BEGINNING })) : within(point, frame))) continue;
      const away = Math.hypot(left - usual.left, top - usual.top) / (width + height);
      const worth = shown(near, frame) - away / 2;
      if (worth > best) [best, found] = [worth, { left, top }];
    }
  return found;
}

// How much a frame shows: its complete cards. A card cut at the left has lost the start of its name.
/** @param {Box[]} all @param {Box} frame */
function shown(all, frame) {
  const whole = all.filter((box) => within(box, frame)).length;
  const cut = all.filter((box) => box.left < frame.left && box.right > frame.left && box.bottom > frame.top && box.top < frame.bottom).length;
  return whole - cut / 4;
}

/** @param {State} state */
const sizeOfStage = ({ stage }) => `${stage.clientWidth}x${stage.clientHeight}`;

/** @param {State} state @param {boolean} [whole] */
export function opening(state, whole = false) {
  fit(state, whole);
  open(state);
  look(state);
  state.room = sizeOfStage(state);
}

// The room for the picture changed: unless the reader zoomed or scrolled, the picture opens anew.
/** @param {State} state */
export function resized(state) {
  if (state.room === sizeOfStage(state)) return;
  state.room = sizeOfStage(state);
  if (state.zoomed) return look(state);
  const { scroller, scale: before, opened } = state;
  // in a larger pane the browser scrolls back to the end of the content
  const left = Math.min(opened?.left ?? 0, scroller.scrollWidth - scroller.clientWidth);
  const top = Math.min(opened?.top ?? 0, scroller.scrollHeight - scroller.clientHeight);
  const untouched = opened && Math.hypot(scroller.scrollLeft - left, scroller.scrollTop - top) < 3;
  fit(state, state.whole);
  if (untouched || Math.abs(state.scale - before) > 0.01) open(state);
  const meant = byId(state, state.step?.card ?? state.selected);
  if (meant) reveal(state, meant);
  look(state);
}
