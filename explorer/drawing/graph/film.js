// The frames of a film as the server packed them (frames.py): unpacked, and each put together again.

/** @typedef {(string | null)[]} Column texts, null where it is that of the frame before */
/** @typedef {{ positions: number[], svg: Column[], legend: Column, sentence: Column, beside: Column }} Frames */

/** @param {string} text @returns {Promise<any>} */
export async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

// A column's content in a frame.
/** @param {Column} column @param {number} at */
export function textAt(column, at) {
  let found = at;
  while (found > 0 && column[found] === null) found--;
  return column[found] ?? "";
}

/** @param {Frames} frames @param {number} at @returns {Framed} */
export const frameAt = (frames, at) => ({
  svg: frames.svg.map((column) => textAt(column, at)),
  legend: textAt(frames.legend, at),
  sentence: textAt(frames.sentence, at),
  beside: JSON.parse(textAt(frames.beside, at)),
});

// The place of the number in an ascending list that is nearest to one; -1 in an empty list.
/** @param {number[]} numbers @param {number} wanted */
export function nearest(numbers, wanted) {
  let low = 0, high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  if (high < 0) return -1;
  return low > 0 && wanted - numbers[low - 1] <= numbers[low] - wanted ? low - 1 : low;
}
