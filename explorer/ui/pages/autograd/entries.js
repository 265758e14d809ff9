// Entries of a gradient in the inspector: a click, Enter or Space follows one through its sum, the arrow keys walk.

export function mount({ data, parentElement, setStateValue }) {
  const inspector = parentElement.closest(".st-key-inspector");
  if (!inspector) return;
  const choose = (square) => {
    const entry = square.getAttribute("aria-pressed") === "true" ? -1 : Number(square.dataset.entry);
    setStateValue("entry", { card: data.card, entry, count: data.count + 1 });
  };
  const walk = (square, step) => {
    const all = [...square.parentElement.querySelectorAll("[data-entry]")];
    const next = all[all.indexOf(square) + step];
    if (!next) return;
    square.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  };
  const click = (event) => {
    const square = event.target.closest("[data-entry]");
    if (square) choose(square);
  };
  const key = (event) => {
    const square = event.target.closest("[data-entry]");
    if (!square) return;
    const columns = Number(getComputedStyle(square.parentElement).getPropertyValue("--columns")) || 1;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (step === undefined && event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    if (step === undefined) choose(square);
    else walk(square, step);
  };
  inspector.addEventListener("click", click);
  inspector.addEventListener("keydown", key);
  return () => {
    inspector.removeEventListener("click", click);
    inspector.removeEventListener("keydown", key);
  };
}
