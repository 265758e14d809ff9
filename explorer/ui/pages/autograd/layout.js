// Browser-only views of the page: the whole window, a presentation, other widths.

import { mount as fill } from "./full.js";
import { mount as present } from "./present.js";
import { mount as split } from "./split.js";

/** @param {Page<{ words: { split: string, leave: string, run: string } }>} page @returns {Stop} */
export function mount(page) {
  const stops = [fill(), split(page), present(page)];
  return (ended) => stops.forEach((stop) => stop?.(ended));
}
