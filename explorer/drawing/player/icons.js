// The pictures on the buttons of a player.

/** @typedef {keyof typeof ICONS} Icon */

const ICONS = {
  first: "M2 2h2v10H2zM13 2v10L5 7z",
  back: "M11 2v10L4 7z",
  play: "M3 1.5v11L12.5 7z",
  pause: "M3 2h3v10H3zM8 2h3v10H8z",
  next: "M3 2v10l7-5z",
  last: "M10 2h2v10h-2zM1 2v10l8-5z",
};

/** @param {Icon} name */
export const icon = (name) => `<svg viewBox="0 0 14 14" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
