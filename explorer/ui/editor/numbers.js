// Numbers of a text that can be turned: where they are, the size of one step, and their new text. Digits are counted
// exactly (BigInt), so 0.1 + 0.1 + 0.1 is 0.3. Pure: nothing here listens, draws or sends.

import { TOKEN, WORDS } from "../../drawing/notebook/paint.js";

/** @typedef {import("./types").Token} Token */
/** @typedef {import("./types").Turnable} Turnable */

const DECIMAL = /^([\d_]*)(\.?)([\d_]*)([eE][+-]?\d+)?([jJ]?)$/;
const OPERAND_END = /[\p{L}\p{N}_)\]}"'.]$/u;
export const EXPECTS_OPERAND = new RegExp(String.raw`(?<![\p{L}\w.])(?!True|False|None)(?:${WORDS})$`, "u");

// The text with comments blank and strings as quotes only, as long as before: what is left is code.
/** @param {string} text */
export function codeOf(text) {
  let code = "";
  for (const { 0: found, index = 0, groups = {} } of text.matchAll(TOKEN)) {
    if (groups.com === undefined && groups.str === undefined) continue;
    code += text.slice(code.length, index) + found.replace(/[^\n]/g, groups.str === undefined ? " " : '"');
  }
  return code + text.slice(code.length);
}

/** @param {string} code */
const depthOf = (code) => (code.match(/[([{]/g)?.length ?? 0) - (code.match(/[)\]}]/g)?.length ?? 0);

// Whether what stands before a sign is complete, so that the sign joins two operands.
/** @param {string} before */
function joins(before) {
  const ahead = before.replace(/(\s|\\)+$/, "");
  if (!OPERAND_END.test(ahead) || EXPECTS_OPERAND.test(ahead)) return false;
  const between = before.slice(ahead.length);
  return !between.includes("\n") || between.includes("\\") || depthOf(ahead) > 0;
}

/** @param {Token} number */
export const isReal = ({ written }) => /[.eE]/.test(written);

// The number whose turning tells most: a real one, as a value or a rate; a seed only draws other values, a size another shape.
/** @param {string} text @param {Token[]} all */
export const telling = (text, all) =>
  all.find(isReal) ?? all.find(({ start }) => !/seed\w*\([^()]*$/.test(text.slice(0, start))) ?? all[0];

// All numbers that can be turned, in order: where they stand, and the token (`written`) without its sign.
/** @param {string} text @returns {Token[]} */
export function numbersOf(text) {
  const found = [];
  for (const { 0: written, index = 0, groups = {} } of text.matchAll(TOKEN))
    if (groups.num && DECIMAL.test(written)) found.push({ start: index, end: index + written.length, written });
  return found;
}

// One of them as it can be turned. `from` and `to` bound what is replaced: also its sign and the parentheses around
// both where only the sign asks for them. `units` is the value in steps, one of the last decimal place that is written
// (a tenth for `1.`); `wrapped` says whether a negative one needs parentheses there.
/** @param {string} text @param {Token} token @returns {Turnable} */
export function turnable(text, { start, end, written }) {
  const [, whole, point, part, exponent = "", unit] = /** @type {RegExpExecArray} */ (DECIMAL.exec(written));
  const digitsBehind = part.replaceAll("_", "");
  const places = Math.max(digitsBehind.length, point || exponent ? 1 : 0);
  const shape = { point, part: digitsBehind, exponent, unit, bare: whole === "", grouped: whole.includes("_"), places };
  const digits = BigInt(whole.replaceAll("_", "") + digitsBehind.padEnd(places, "0"));
  const code = codeOf(text);
  const raised = (/** @type {string} */ rest) => /^[ \t]*(\*\*|\.[ \t]*\p{L})/u.test(rest);
  const sign = /-[ \t]*$/.exec(code.slice(0, start));
  if (!sign || joins(code.slice(0, sign.index))) {
    const wrapped = /[-+][ \t]*$/.test(code.slice(0, start)) || raised(code.slice(end));
    return { ...shape, from: start, to: end, units: digits, wrapped };
  }
  const inside = { ...shape, from: sign.index, to: end, units: -digits, wrapped: false };
  const open = /(^|[-+][ \t]*)\($/.exec(code.slice(0, inside.from));
  if (code[inside.from - 1] !== "(" || code[end] !== ")" || !(open || raised(code.slice(end + 1)))) return inside;
  if (OPERAND_END.test(code.slice(0, inside.from - 1))) return inside; // the parentheses of a call
  return { ...inside, from: inside.from - 1, to: end + 1, wrapped: true };
}

// How a number is written when it has so many units: as before, with as many decimals, `2.` rather than `2.0`.
/** @param {Turnable} number @param {bigint} units */
export function writtenAs(number, units) {
  const digits = String(units < 0n ? -units : units).padStart(number.places + 1, "0");
  let whole = digits.slice(0, digits.length - number.places);
  const part = digits.slice(digits.length - number.places);
  if (number.grouped) whole = whole.replace(/\B(?=(\d{3})+$)/g, "_");
  if (number.bare && whole === "0") whole = "";
  const plain = !number.part && /^0*$/.test(part);
  const text = whole + (plain ? number.point : `.${part}`) + number.exponent + number.unit;
  return units >= 0n ? text : number.wrapped ? `(-${text})` : `-${text}`;
}

/** @param {Turnable} number @param {bigint} units */
export const valueOf = (number, units) => Number(units) / 10 ** number.places * Number(`1${number.exponent}`);
