// Shift-Tab inside a call shows its signature and description. A function of the program is read from its text; torch's
// and Python's are requested from the server by full name.

import { codeOf, EXPECTS_OPERAND } from "./numbers.js";
import { make, padOf } from "../../drawing/notebook/paint.js";
import { boxOf } from "./spots.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Cell} Cell */
/** @typedef {import("./types").Call} Call */

const NAMES = { torch: "torch", nn: "torch.nn", F: "torch.nn.functional", optim: "torch.optim" }; // without imports
const MANY = 200; // characters of a name

// The innermost call around a position: the called name and its start.
/** @param {string} text @param {number} at @returns {Call | null} */
export function callAt(text, at) {
  const code = codeOf(text);
  let depth = 0;
  for (let i = at - 1; i >= 0; i--) {
    if (/[)\]}]/.test(code[i])) depth++;
    if (!/[([{]/.test(code[i])) continue;
    if (depth) {
      depth--;
      continue;
    }
    const name = code[i] === "(" ? /\.?(?:[\p{L}_][\p{L}\p{N}_]*\.)*[\p{L}_][\p{L}\p{N}_]*$/u.exec(code.slice(Math.max(0, i - MANY), i)) : null;
    if (!name || EXPECTS_OPERAND.test(name[0]) || /(^|\s)(def|class)\s+$/.test(code.slice(0, i - name[0].length))) continue;
    return { name: name[0], from: i - name[0].length };
  }
  return null;
}

// A name as torch's documentation has it: `F.relu` is torch.nn.functional.relu. `.view` is a method of something.
/** @param {string} text @param {string} name */
export function fullName(text, name) {
  const code = codeOf(text);
  const known = /** @type {Record<string, string>} */ ({ ...NAMES });
  for (const [, module, short] of code.matchAll(/^[ \t]*import[ \t]+([\w.]+)[ \t]+as[ \t]+(\w+)/gm)) known[short] = module;
  for (const [, module, names] of code.matchAll(/^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*(\([\w\s,]+|[ \t][\w \t,]+)/gm))
    for (const [, thing, short] of names.matchAll(/(\w+)(?:[ \t]+as[ \t]+(\w+))?/g)) known[short ?? thing] = `${module}.${thing}`;
  const [first, ...rest] = name.split(".");
  if (first === "") return name;
  if (Object.hasOwn(known, first)) return [known[first], ...rest].join(".");
  return rest.length ? `.${rest.at(-1)}` : name;
}

// The signature of a function or class that the program defines, null when it defines none of this name.
/** @param {string} text @param {string} name */
export function ownSignature(text, name) {
  const called = name.split(".").at(-1);
  const code = codeOf(text);
  const kind = name.includes(".") ? "def" : "(?:def|class)";
  const found = [...code.matchAll(new RegExp(String.raw`^[ \t]*(?:async[ \t]+)?${kind}[ \t]+${called}(?![\p{L}\p{N}_])`, "gmu"))].at(-1);
  if (!found) return null;
  let from = (found.index ?? 0) + found[0].length;
  if (/class[ \t]+\S+$/.test(found[0])) {
    const body = code.slice(from).split(/^(?=\S)/m)[0];
    const made = /^[ \t]+def[ \t]+__init__/m.exec(body);
    if (!made) return { signature: `${name}()`, sentence: sentenceAt(text, code, from + body.indexOf(":") + 1) };
    from += made.index + made[0].length;
  }
  let depth = 0;
  let to = from;
  do {
    if (/[([{]/.test(code[to] ?? "")) depth++;
    if (/[)\]}]/.test(code[to] ?? "")) depth--;
    to++;
  } while (depth > 0 && to < code.length);
  const colon = code.indexOf(":", to);
  const result = colon < 0 ? "" : text.slice(to, colon).trim();
  const inside = text.slice(from + 1, to - 1).replace(/\s+/g, " ").replace(/^ ?self(, ?|$)/, "").trim().replace(/,$/, "");
  return { signature: `${name}(${inside})${result.startsWith("->") ? ` ${result}` : ""}`, sentence: colon < 0 ? "" : sentenceAt(text, code, colon + 1) };
}

// The first sentence of the docstring that begins behind a colon, "" when there is none.
/** @param {string} text @param {string} code @param {number} from */
function sentenceAt(text, code, from) {
  const quoted = /^\s*[rR]?("+)/.exec(code.slice(from));
  if (!quoted) return "";
  const string = text.slice(from).match(/"""([\s\S]*?)"""|'''([\s\S]*?)'''|"([^"\n]*)"|'([^'\n]*)'/);
  const doc = string?.slice(1).find((group) => group !== undefined) ?? "";
  return (/^[\s\S]*?\.(?=\s|$)/.exec(doc.trim()) ?? [doc.trim().split("\n\n")[0]])[0].replace(/\s+/g, " ");
}

// Asks for what is known about the call at the caret. False where there is no call.
/** @param {State} state @param {Cell} cell */
export function askHelp(state, cell) {
  const { area } = cell;
  const call = area.value.slice(area.selectionStart, area.selectionEnd).includes("\n") ? null : callAt(area.value, area.selectionStart);
  if (!call) return false;
  const all = state.cells.map((other) => other.area.value).join("\n");
  state.helping = { cell, call, asked: fullName(all, call.name) };
  const own = ownSignature(all, call.name);
  if (own) showHelp(state, own);
  else document.dispatchEvent(new CustomEvent("explorer:help", { detail: { name: state.helping.asked } }));
  return true;
}

/** @param {State} state @param {Helped} help */
export function helped(state, { name, signature, sentence }) {
  if (state.helping?.asked !== name) return;
  const { call } = state.helping;
  showHelp(state, { signature: signature ? call.name.replace(/^\./, "") + signature : "", sentence });
}

/** @param {State} state @param {Pick<Helped, "signature" | "sentence">} help */
function showHelp(state, { signature, sentence }) {
  if (!state.helping) return;
  const { cell, call } = state.helping;
  const nothing = state.words.unknownCall.replace("@", call.name);
  state.tip?.remove();
  state.tip = make("div", "callhelp");
  state.tip.id = "explorer-tip";
  state.tip.setAttribute("role", "tooltip");
  if (signature) state.tip.append(make("code", "", signature));
  if (sentence || !signature) state.tip.append(make("p", "", sentence || nothing));
  const pad = padOf(cell);
  pad.append(state.tip);
  cell.area.setAttribute("aria-describedby", state.tip.id);
  state.live.textContent = [signature, sentence].filter(Boolean).join(". ") || nothing;
  const box = boxOf(cell, call.from, call.from + call.name.length);
  if (!box) return; // the call is no longer drawn
  const [of, end] = [pad.getBoundingClientRect(), boxOf(cell, cell.area.selectionStart, cell.area.selectionStart)];
  const line = parseFloat(getComputedStyle(cell.area).lineHeight);
  const under = (end ?? box).top - of.top + line - 2;
  const over = box.top - of.top - state.tip.offsetHeight - 6;
  const pane = (cell.area.closest(".st-key-program") ?? pad).getBoundingClientRect();
  const room = Math.min(pane.bottom, innerHeight) - of.top - under;
  state.tip.style.top = `${room < state.tip.offsetHeight && over > pane.top - of.top ? over : under}px`;
  state.tip.style.left = `${Math.max(8, Math.min(box.left - of.left, of.width - state.tip.offsetWidth - 8))}px`;
}

// Closes it. False when none was open.
/** @param {State} state */
export function closeHelp(state) {
  if (!state.helping) return false;
  state.helping.cell.area.removeAttribute("aria-describedby");
  state.helping = null;
  state.tip?.remove();
  state.live.textContent = "";
  return true;
}

// It goes when the caret leaves the call.
/** @param {State} state */
export function keepHelp(state) {
  if (!state.helping) return;
  const { cell, call } = state.helping;
  const now = document.activeElement === cell.area ? callAt(cell.area.value, cell.area.selectionStart) : null;
  if (now?.name !== call.name || now.from !== call.from) closeHelp(state);
}
