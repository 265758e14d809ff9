// Between the editor and a lens: the chosen item's line is lit, and moving the cursor to another line chooses it.

/** @typedef {[cell: number, line: number]} Line */
/** @typedef {{ place: Line | null, places: Line[] }} Data */

const SETTLES = 200; // ms that the caret stays on a line until it is meant

/** @param {Page<Data>} page @returns {Stop} */
export function mount({ data: { place, places }, setStateValue }) {
  const spans = place ? [[...place, 0, place[1], 10_000]] : [];
  document.dispatchEvent(new CustomEvent("explorer:point", { detail: { spans, source: "lens", kind: "select", again: true } }));
  let now = String(place), waits = 0;
  const moved = (/** @type {DocumentEventMap["explorer:point"]} */ { detail }) => {
    if (detail.source !== "editor" || detail.kind !== "caret" || !detail.spans?.length) return;
    const [cell, line] = detail.spans[0];
    clearTimeout(waits);
    if (now === `${cell},${line}` || !places.some(([at, its]) => at === cell && its === line)) return;
    waits = setTimeout(() => {
      now = `${cell},${line}`;
      setStateValue("place", { cell, line, at: Date.now() });
    }, SETTLES);
  };
  document.addEventListener("explorer:point", moved);
  return () => {
    clearTimeout(waits);
    document.removeEventListener("explorer:point", moved);
  };
}
