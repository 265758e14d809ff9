// What this browser keeps for the app.

/**
 * The value stored under a name, or null; with `value`, stores it. Undefined if storage is impossible: a browser refuses
 * in a frame of another site, where even naming the storage raises, or has no room.
 * @param {"localStorage" | "sessionStorage"} area @param {string} name @param {string} [value]
 * @returns {string | null | undefined}
 */
export function stored(area, name, value) {
  try {
    if (value === undefined) return globalThis[area].getItem(name);
    globalThis[area].setItem(name, value);
    return value;
  } catch {
    return undefined;
  }
}
