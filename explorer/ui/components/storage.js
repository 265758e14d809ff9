// What this browser keeps for the app.

/**
 * The value kept under a name, null for none; with `value`, keeps that. Undefined where nothing can be kept: a browser
 * refuses in a frame of another site, where to name the storage raises already, or has no room.
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
