// The picture on the page as a PNG: made in the browser, out of the SVG and the rules that style it.

import { part } from "../../drawing/dom.js";

const SCALE = 2; // pixels per unit, sharp on dense screens

const rules = () => {
  const found = [];
  for (const sheet of document.styleSheets) {
    /** @type {Iterable<CSSRule>} */
    let all = [];
    try {
      all = sheet.cssRules;
    } catch {
      continue; // a sheet from elsewhere may not be read
    }
    for (const rule of all)
      if (rule instanceof CSSStyleRule && /\.autograd|^:root|^\[data-theme/.test(rule.selectorText)) found.push(rule.cssText);
  }
  return found.join("\n");
};

/** @param {string} name */
async function save(name) {
  /** @type {SVGSVGElement | null} */
  const shown = document.querySelector(".st-key-graph svg.autograd, .st-key-graph .autograd svg, .st-key-graph svg");
  if (!shown) return;
  const svg = /** @type {SVGSVGElement} */ (shown.cloneNode(true));
  const { width, height } = shown.viewBox.baseVal;
  svg.querySelectorAll(".is-selected, .is-hovered, .is-dimmed").forEach((one) => one.classList.remove("is-selected", "is-hovered", "is-dimmed"));
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  svg.removeAttribute("style");
  svg.setAttribute("data-theme", document.documentElement.dataset.theme ?? "light");
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = rules();
  svg.prepend(style);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * SCALE);
  canvas.height = Math.round(height * SCALE);
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--bg").trim() || "white";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  /** @type {Blob | null} */
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  if (!blob) return; // larger than this browser draws
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @param {Page<{ label: string, name: string }>} page */
export function mount({ data, parentElement }) {
  const button = part(parentElement, "button");
  button.textContent = ".png";
  button.setAttribute("aria-label", data.label);
  button.onclick = () => save(data.name);
}
