// The picture on the page as a PNG: made in the browser, out of the SVG and the rules that style it.

import { part } from "../../drawing/dom.js";
import { alone, shownPicture } from "../../drawing/graph/alone.js";

const SCALE = 2; // pixels per unit, sharp on dense screens

/** @param {string} name */
async function save(name) {
  const shown = shownPicture();
  if (!shown) return;
  const { width, height } = shown.viewBox.baseVal;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(alone(shown, document.documentElement.dataset.theme ?? "light"))}`;
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
