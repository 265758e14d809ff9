// Numbers as explorer/text/numbers.py writes them.

/** @param {string} text */
export const minus = (text) => text.replace(/-/g, "\u2212");

/** @param {number} value @param {boolean} [signed] @param {number} [digits] */
export function number(value, signed = false, digits = 4) {
  if (Number.isNaN(value)) return "NaN";
  const sign = value < 0 ? "\u2212" : signed && value > 0 ? "+" : "";
  const size = Math.abs(value);
  if (size === Infinity) return `${sign}\u221e`;
  if (size === 0) return "0";
  if (size >= 1 && size < 1e6) return sign + String(Number(size.toFixed(Math.max(0, digits - String(Math.trunc(size)).length))));
  if (size >= 1e-4 && size < 1) return sign + String(Number(size.toPrecision(digits)));
  return sign + minus(size.toExponential(digits - 1).replace(/\.?0+e/, "e").replace("e+", "e"));
}
