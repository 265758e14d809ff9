// Says once that the browser has nothing else to do: what is heavy comes after what is seen.

const LONGEST = 4000; // ms, as on a busy machine

/** @param {Page<{}>} page @returns {Stop} */
export function mount({ setStateValue }) {
  const say = () => setStateValue("idle", true);
  if (!globalThis.requestIdleCallback) {
    const later = setTimeout(say, LONGEST / 2); // a browser that does not know
    return () => clearTimeout(later);
  }
  const asked = requestIdleCallback(say, { timeout: LONGEST });
  return () => cancelIdleCallback(asked);
}
