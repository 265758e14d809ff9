// The picture of a graph: puts the server's SVG into the page, fits it, zooms it, and reports the selected card.
// Classes on cards and wires change here; positions never do.

const LEAST = 0.8; // below this scale text is too small to read: then the picture scrolls
const FADE = "28px"; // height of a faded edge
const STEP = 1.25; // one press of a zoom button

function scaleToFit(stage, svg) {
  const room = stage.clientWidth - 24;
  return Math.min(1, Math.max(LEAST, room / svg.viewBox.baseVal.width));
}

function apply(stage, state) {
  const box = state.svg.viewBox.baseVal;
  state.svg.style.width = `${Math.round(box.width * state.scale)}px`;
  state.svg.style.height = `${Math.round(box.height * state.scale)}px`;
}

function fit(stage, state) {
  state.zoomed = false;
  state.scale = scaleToFit(stage, state.svg);
  apply(stage, state);
}

// The edge beyond which there is more of the picture is faded.
function fade(scroller) {
  const below = scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
  scroller.style.setProperty("--above", scroller.scrollTop > 1 ? FADE : "0px");
  scroller.style.setProperty("--below", below > 1 ? FADE : "0px");
}

function select(state, id) {
  state.selected = id;
  for (const card of state.svg.querySelectorAll("g.node")) {
    const on = card.dataset.id === id;
    card.classList.toggle("is-selected", on);
    card.setAttribute("aria-pressed", String(on));
  }
}

function button(text, label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.title = label;
  made.setAttribute("aria-label", label);
  made.onclick = act;
  return made;
}

function draw(stage, state, data, setStateValue) {
  const parsed = new DOMParser().parseFromString(data.svg, "image/svg+xml").documentElement;
  state.svg = document.adoptNode(parsed);
  const zoom = document.createElement("div");
  zoom.className = "zoom";
  const by = (factor) => () => {
    state.zoomed = true;
    state.scale = Math.min(3, Math.max(0.2, state.scale * factor));
    apply(stage, state);
  };
  zoom.append(
    button("+", data.words.bigger, by(STEP)),
    button("−", data.words.smaller, by(1 / STEP)),
    button("⤢", data.words.fit, () => fit(stage, state)),
  );
  const scroller = document.createElement("div");
  scroller.className = "scroller";
  scroller.append(state.svg);
  stage.replaceChildren(zoom, scroller);
  const pick = (event) => {
    const card = event.target.closest("g.node");
    const id = card && card.dataset.id !== state.selected ? card.dataset.id : null;
    select(state, id);
    setStateValue("selected", id);
  };
  state.svg.addEventListener("click", pick);
  state.svg.addEventListener("keydown", (event) => {
    if ((event.key === "Enter" || event.key === " ") && event.target.closest("g.node")) {
      event.preventDefault();
      pick(event);
    }
  });
  fit(stage, state);
  scroller.addEventListener("scroll", () => fade(scroller), { passive: true });
  scroller.scrollTop = scroller.scrollHeight; // the output is where the gradient starts
  scroller.scrollLeft = (scroller.scrollWidth - scroller.clientWidth) / 2;
  fade(scroller);
  select(state, state.selected);
}

export default function ({ data, parentElement, setStateValue }) {
  const stage = parentElement.querySelector(".stage");
  const state = (stage.explorer ??= { shown: null, selected: null, scale: 1, zoomed: false });
  if (state.shown !== data.svg) {
    state.shown = data.svg;
    draw(stage, state, data, setStateValue);
  }
  stage.classList.toggle("is-stale", data.stale);
  const resized = new ResizeObserver(() => state.zoomed || fit(stage, state));
  resized.observe(stage);
  return () => resized.disconnect();
}
