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

/** The picture on the page, null where there is none. */
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
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = rules();
  svg.prepend(style);
  return new XMLSerializer().serializeToString(svg);
}
