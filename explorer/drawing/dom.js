// Two things that every script asks of a page.

/**
 * What an event happened on.
 * @param {Event} event
 */
export const targetOf = (event) => /** @type {HTMLElement} */ (event.target);

/**
 * A part of HTML of our own, which is there.
 * @template {Element} [E=HTMLElement]
 * @param {ParentNode} root
 * @param {string} selector
 * @returns {E}
 */
export function part(root, selector) {
  const found = /** @type {E | null} */ (root.querySelector(selector));
  if (!found) throw new Error(`The page has no ${selector}`);
  return found;
}
