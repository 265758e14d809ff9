// The moments of the player as a short film: each is shown, its picture and sentence are painted, and the browser itself
// records what is painted. Nothing is sent anywhere.

import { imageOf, rules, save, shownPicture } from "../../drawing/graph/alone.js";

const TYPES = ["video/webm;codecs=vp9", "video/webm", "video/mp4"];
const WIDE = 1280, HIGH = 1080, NARROW = 720; // px of the picture in the film at most, and of the film at least
const TEXT = 24, ROWS = 3, EDGE = 24; // px and lines of the sentence, px around it
const RATE = 10, MOST = 60; // pictures a second, moments of a film
const STANDS = 900, LASTS = 30_000; // ms that a moment is shown, and that the film lasts, at most
const END = 1_500; // ms that the last moment stands
const ASKED = 20_000; // ms until the server has told the moments

/** @param {number} ms */
const after = (ms) => new Promise((done) => setTimeout(done, ms));

/** The moments of this page's player, undefined where there is none. @returns {MomentsHand | undefined} */
export function handOfPlayer() {
  /** @type {MomentsHand | undefined} */
  let hand;
  document.dispatchEvent(new CustomEvent("explorer:moments", { detail: (/** @type {MomentsHand} */ found) => (hand = found) }));
  return hand;
}

/** @param {CanvasRenderingContext2D} brush @param {string} text @param {number} width */
function lines(brush, text, width) {
  const found = [""], words = text.replace(/\s+/g, " ").split(/(?<= )|(?<=[\u3001-\uffef])/);
  for (const word of words) {
    const last = found[found.length - 1];
    if (last && brush.measureText(last + word.trimEnd()).width > width) found.push(word);
    else found[found.length - 1] += word;
  }
  if (found.length > ROWS) found[ROWS - 1] = `${found[ROWS - 1].trimEnd()} …`;
  return found.slice(0, ROWS);
}

/**
 * Films them all, and saves the film as a file.
 * @param {MomentsHand} hand
 * @param {(k: number, count: number) => boolean} told says how far it is; false stops it
 * @returns {Promise<"saved" | "none" | "stopped">}
 */
export async function film(hand, told) {
  const canvas = document.createElement("canvas"), brush = canvas.getContext("2d");
  const type = globalThis.MediaRecorder && TYPES.find((one) => MediaRecorder.isTypeSupported(one));
  if (!type || !brush || !canvas.captureStream) return "none";
  hand.want();
  for (let waited = 0; !hand.known() && waited < ASKED; waited += 100) await after(100);
  const count = hand.known(), before = hand.at(), shown = shownPicture();
  if (!count || !shown) return "none";
  const { width, height } = shown.viewBox.baseVal, scale = Math.min(2, WIDE / width, HIGH / height);
  canvas.width = 2 * Math.ceil(Math.max(NARROW, width * scale + 2 * EDGE) / 2);
  const top = Math.ceil(height * scale) + 2 * EDGE;
  canvas.height = 2 * Math.ceil((top + ROWS * TEXT * 1.4 + EDGE) / 2);
  const style = rules(), page = getComputedStyle(document.documentElement);
  const [ground, ink] = ["--bg", "--ink"].map((name) => page.getPropertyValue(name).trim());
  const font = `${TEXT}px ${getComputedStyle(document.body).fontFamily}`;

  const paint = async () => {
    const now = shownPicture();
    if (!now) return;
    const image = await imageOf(now, style), { width, height } = now.viewBox.baseVal;
    const fits = Math.min(scale, (canvas.width - 2 * EDGE) / width, (top - 2 * EDGE) / height);
    brush.fillStyle = ground;
    brush.fillRect(0, 0, canvas.width, canvas.height);
    brush.drawImage(image, (canvas.width - width * fits) / 2, EDGE + (top - 2 * EDGE - height * fits) / 2, width * fits, height * fits);
    Object.assign(brush, { fillStyle: ink, font, textAlign: "center", textBaseline: "top" });
    lines(brush, hand.says(), canvas.width - 2 * EDGE).forEach((line, i) => brush.fillText(line, canvas.width / 2, top + i * TEXT * 1.4));
  };
  // A stream has a new picture only where something was painted: a corner is, again and again.
  const stream = canvas.captureStream(RATE), beat = setInterval(() => {
    brush.fillStyle = ground;
    brush.fillRect(0, 0, 1, 1);
  }, 1000 / RATE);
  /** @type {Blob[]} */
  const parts = [];
  const recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 4_000_000 });
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const ended = new Promise((done) => (recorder.onstop = done));
  const each = Math.ceil(count / MOST), stands = Math.min(STANDS, (LASTS * each) / count);
  let goes = true;
  for (let k = 1; k <= count && goes; k = k === count ? k + 1 : Math.min(count, k + each)) {
    hand.go(k);
    goes = told(k, count);
    await paint();
    if (k === 1) recorder.start();
    await after(stands);
  }
  if (goes) await after(END);
  if (recorder.state !== "inactive") recorder.stop();
  await ended;
  clearInterval(beat);
  hand.go(before);
  if (!goes) return "stopped";
  save(new Blob(parts, { type }), `autograd.${type.startsWith("video/mp4") ? "mp4" : "webm"}`);
  return "saved";
}
