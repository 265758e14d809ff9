// A card of an operation plays its reading order while it is pointed at or has the focus: each result, and what it reads.

const BEAT = 420; // ms for an entry

/** @type {{ card: HTMLElement | null, timer: number }} */
const playing = { card: null, timer: 0 };

/** @param {HTMLElement} card @param {number} turn */
function show(card, turn) {
  const cells = [...card.querySelectorAll(".op-row .op-cell")], results = cells.filter((cell) => cell.dataset.from);
  const now = turn < 0 ? undefined : results[turn % results.length], read = now?.dataset.from?.split(" ") ?? [];
  card.querySelector(".operation")?.classList.toggle("is-pointing", Boolean(now));
  for (const cell of cells) {
    cell.classList.toggle("is-chosen", cell === now);
    cell.classList.toggle("is-read", read.includes(cell.dataset.at ?? ""));
  }
}

/** @param {HTMLElement | null} card none: ends it */
export function playReading(card) {
  if (card === playing.card) return;
  clearInterval(playing.timer);
  if (playing.card) show(playing.card, -1);
  playing.card = card;
  if (!card) return;
  let turn = 0;
  show(card, turn);
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) playing.timer = setInterval(() => show(card, ++turn), BEAT);
}
