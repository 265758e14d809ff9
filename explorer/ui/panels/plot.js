// A figure of plotly's as a part of the page (plots.py).

import { draw } from "../../drawing/plots/plot.js";
import { part } from "../../drawing/dom.js";

/** @param {Page<{ figure: string, config: object, alt: string }>} page */
export function mount({ data, parentElement, setStateValue }) {
  const plot = /** @type {import("../../drawing/plots/plot.js").Plot} */ (part(parentElement, ".plot"));
  plot.setAttribute("aria-label", data.alt);
  draw(plot, data.figure, data.config, (which, value, over) => over && setStateValue("slid", { which, value, place: plot.layout.sliders?.[which].active }));
}
