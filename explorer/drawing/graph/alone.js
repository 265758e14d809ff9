// The picture on the page as an SVG that needs nothing else: with the rules that style it.

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

/** The picture on the page, or null. */
export const shownPicture = () =>
  /** @type {SVGSVGElement | null} */ (
    document.querySelector(".st-key-graph svg.autograd, .st-key-graph .autograd svg, .st-key-graph svg")
  );

/** @param {SVGSVGElement} shown @param {string} theme */
export function alone(shown, theme) {
  const svg = /** @type {SVGSVGElement} */ (shown.cloneNode(true));
  const { width, height } = shown.viewBox.baseVal;
  svg.querySelectorAll(".is-selected, .is-hovered, .is-dimmed").forEach((part) => part.classList.remove("is-selected", "is-hovered", "is-dimmed"));
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  svg.removeAttribute("style");
  svg.setAttribute("data-theme", theme);
  const sheet = document.createElementNS("http://www.w3.org/2000/svg", "style");
  sheet.textContent = rules();
  svg.prepend(sheet);
  return new XMLSerializer().serializeToString(svg);
}

// The picture as the browser draws it outside of the page.
/** @param {SVGSVGElement} shown */
export async function imageOf(shown) {
  const image = new Image(), theme = document.documentElement.dataset.theme ?? "light";
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(alone(shown, theme))}`;
  await image.decode();
  return image;
}

// Gives a file to the reader.
/** @param {Blob} blob @param {string} name */
export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
