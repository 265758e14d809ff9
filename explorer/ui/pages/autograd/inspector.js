// Listens to the inspector: questions of Why?, and entries of a gradient that are followed.

import { mount as follow } from "./entries.js";
import { mount as explain } from "./why.js";

/** @param {Page<{ session: string, card: string, open: boolean, choose: string }>} page @returns {Stop} */
export function mount(page) {
  const stops = [explain(page), follow(page)];
  return (ended) => stops.forEach((stop) => stop?.(ended));
}
