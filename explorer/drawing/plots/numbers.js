// Formats numbers like explorer/text/numbers.py; tests/browser/test_scripts.py compares both.

const NOISE = 3e-7; // relative rounding of a sum in single precision

// Python's format "g": `digits` significant digits; `zeros`: whether trailing zeros stay.
/** @param {number} size @param {number} digits @param {boolean} zeros */
function general(size, digits, zeros) {
  const [mantissa, power] = size.toExponential(digits - 1).split("e"), exponent = Number(power);
  const plain = exponent >= -4 && exponent < digits, text = plain ? size.toFixed(digits - 1 - exponent) : mantissa;
  const kept = zeros || !text.includes(".") ? text : text.replace(/\.?0+$/, "");
  return plain ? kept : `${kept}e${exponent}`;
}

// A number of at most six digits as it is, "" for any other.
/** @param {number} size */
function exact(size) {
  if (size < 1e6 && Number.isInteger(size)) return String(size);
  let text = general(size, 4, false);
  if (Math.abs(Number(text) - size) > NOISE * size) {
    text = general(size, 6, false);
    if (Number(text) !== size && Math.fround(Number((text = general(size, 5, false)))) !== size) return "";
  }
  return text.includes("e") && size >= 1 && size < 1e6 ? Number(text).toFixed(0) : text;
}

/** @param {number} size @param {number} digits */
function rounded(size, digits) {
  if (size >= 1e5) return size.toExponential(digits - 1).replace("e+", "e");
  const whole = String(Math.trunc(size)).length;
  const text = general(size, Math.max(digits, whole > 1 ? whole + 1 : 1), true);
  return /[.e]/.test(text) ? text : size.toFixed(1);
}

/** @param {number} value @param {boolean} [signed] @param {number} [digits] */
export function number(value, signed = false, digits = 3) {
  if (Number.isNaN(value)) return "NaN";
  const sign = value < 0 ? "\u2212" : signed && value > 0 ? "+" : "", size = Math.abs(value);
  return sign + (size === Infinity ? "\u221e" : (exact(size) || rounded(size, digits)).replace("-", "\u2212"));
}
