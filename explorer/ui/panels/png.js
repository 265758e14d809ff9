// The picture on the page as a PNG: made in the browser, out of the SVG and the rules that style it.

const SCALE = 2; // pixels per unit, sharp on dense screens

const rules = () => {
  const found = [];
  for (const sheet of document.styleSheets) {
    let all = [];
    try {
      all = sheet.cssRules;
    } catch {
      continue; // a sheet from elsewhere may not be read
    }
    for (const rule of all) if (/\.autograd|^:root|^\[data-theme/.test(rule.selectorText ?? "")) found.push(rule.cssText);
  }
  return found.join("\n");
};

async function save(name) {
  const shown = document.querySelector(".st-key-graph svg.autograd, .st-key-graph .autograd svg, .st-key-graph svg");
  if (!shown) return;
  const svg = shown.cloneNode(true);
  const { width, height } = shown.viewBox.baseVal;
  svg.querySelectorAll(".is-selected, .is-hovered, .is-dimmed").forEach((one) => one.classList.remove("is-selected", "is-hovered", "is-dimmed"));
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
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
  const pen = canvas.getContext("2d");
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--bg").trim() || "white";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function mount({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  button.textContent = ".png";
  button.setAttribute("aria-label", data.label);
  button.onclick = () => save(data.name);
}
