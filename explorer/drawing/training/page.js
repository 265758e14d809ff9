// Sets up film.js in a standalone page: the cursor works without a server.

import { part } from "../dom.js";
import { mount } from "./film.js";

const root = part(document, ".film-root");
const { film } = JSON.parse(part(document, "#page-data").textContent ?? "");
mount({ data: { html: root.innerHTML, film, run: "" }, parentElement: document.body, setStateValue: () => {} });
