// The loss of a training under the marks of its rounds.

/** @typedef {import("./controls.js").Piece} Piece */
/** @typedef {{ x: number, loss: number | null }} Point of a round: its place on the track in px; null: no number */

const TALL = 22; // px of the curve
const WIDE = 100; // how many times the least the greatest loss is, before their scale is logarithmic

// Positions of the rounds' losses: centred on the marks of their forward, where they are computed.
/** @param {HTMLElement} track @param {Piece[]} pieces @returns {Point[]} */
function pointsOf(track, pieces) {
  const left = track.getBoundingClientRect().left, boxes = [...track.querySelectorAll(".chapter")].map((one) => one.getBoundingClientRect());
  return pieces.flatMap(({ losses }, at) =>
    losses.map((loss, i) => ({ x: boxes[at].left - left + ((i + 0.5) / losses.length) * boxes[at].width, loss })),
  );
}

// The curve, with gaps for non-finite losses and a dot for a single number between gaps.
/** @param {HTMLElement} track @param {Piece[]} pieces @param {string} log */
export function drawLoss(track, pieces, log) {
  const place = /** @type {HTMLElement | null} */ (track.querySelector(".loss"));
  if (!place || !track.clientWidth) return;
  const name = pieces.find((one) => one.curve)?.curve ?? "", points = pointsOf(track, pieces), finite = points.flatMap(({ loss }) => (loss === null ? [] : [loss]));
  const least = Math.min(...finite), most = Math.max(...finite), scaled = least > 0 && most / least > WIDE;
  const scale = (/** @type {number} */ loss) => (scaled ? Math.log(loss) : loss);
  const [low, high] = [scale(least), scale(most)];
  const y = (/** @type {number} */ loss) => TALL - (high > low ? (scale(loss) - low) / (high - low) : 0.5) * TALL;
  let path = "", open = false, bad = "";
  points.forEach(({ x, loss }, i) => {
    if (loss === null) bad += `<rect class="nan" x="${(x - 1).toFixed(1)}" width="2" height="${TALL}"/>`;
    else {
      path += `${open ? "L" : "M"}${x.toFixed(1)},${y(loss).toFixed(1)}`;
      if (!open && (points[i + 1]?.loss ?? null) === null) path += "h.01";
    }
    open = loss !== null;
  });
  place.innerHTML =
    `<svg viewBox="0 -2 ${track.clientWidth} ${TALL + 4}" preserveAspectRatio="none" aria-hidden="true">${bad}<path d="${path}"/></svg>`;
  const caption = [name, scaled && log].filter(Boolean).join(" · ");
  if (caption) place.append(Object.assign(document.createElement("small"), { textContent: caption }));
}
