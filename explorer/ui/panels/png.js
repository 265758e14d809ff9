// The picture on the page as a PNG: made in the browser, out of the SVG and the rules that style it.

import { part } from "../../drawing/dom.js";
import { imageOf, save, shownPicture } from "../../drawing/graph/alone.js";

const SCALE = 2; // pixels per unit, sharp on dense screens

/** @param {string} name */
async function draw(name) {
  const shown = shownPicture();
  if (!shown) return;
  const { width, height } = shown.viewBox.baseVal, image = await imageOf(shown), canvas = document.createElement("canvas");
  canvas.width = Math.round(width * SCALE);
  canvas.height = Math.round(height * SCALE);
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--bg").trim() || "white";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && save(blob, name), "image/png"); // none: larger than this browser draws
}

/** @param {Page<{ label: string, name: string }>} page */
export function mount({ data, parentElement }) {
  const button = part(parentElement, "button");
  const ending = document.createElement("span");
  ending.textContent = ".png";
  button.replaceChildren(data.label, " ", ending);
  button.onclick = () => draw(data.name);
}
