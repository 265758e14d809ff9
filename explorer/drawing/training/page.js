// Gives film.js its stage in a page of its own: the cursor works, and nobody is told of a step.

import { part } from "../dom.js";
import { mount } from "./film.js";

const root = part(document, ".film-root");
const { film } = JSON.parse(part(document, "#told").textContent ?? "");
mount({ data: { html: root.innerHTML, film, run: "" }, parentElement: document.body, setStateValue: () => {} });
