// HTML of `drawing` whose parts know each other. Pointing at an element with data-lit lights every element that shares
// one of its words; pressing an element with data-choose tells the server. Arrow keys walk over the buttons.

const words = (element) => (element?.dataset.lit ?? "").split(" ").filter(Boolean);

function light(root, element) {
  for (const one of root.querySelectorAll(".is-lit")) one.classList.remove("is-lit");
  for (const word of words(element))
    for (const one of root.querySelectorAll(`[data-lit~="${CSS.escape(word)}"]`)) one.classList.add("is-lit");
}

// An entry's place among many cells is a long way from its print: all boxes of a page light together.
function everywhere(element) {
  for (const root of document.querySelectorAll(".linked")) light(root, element);
}

const focused = (event) => event.target.dataset.lit && everywhere(event.target);

function walk(root, key) {
  const buttons = [...root.querySelectorAll("[data-choose]")];
  const at = buttons.indexOf(document.activeElement);
  if (at < 0) return false;
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }[key];
  if (to === undefined || !buttons[to]) return false;
  buttons[to].focus();
  return true;
}

function mount({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".linked");
  if (root.explorerHtml !== data.html) {
    const scrolled = root.firstElementChild?.scrollTop ?? 0;
    const held = root.contains(document.activeElement) ? document.activeElement.dataset.choose : undefined;
    root.innerHTML = data.html;
    root.explorerHtml = data.html;
    if (root.firstElementChild) root.firstElementChild.scrollTop = scrolled;
    if (held !== undefined) root.querySelector(`[data-choose="${CSS.escape(held)}"]`)?.focus();
  }
  const pressed = root.querySelector('[aria-pressed="true"]');
  const list = root.firstElementChild;
  if (pressed && list && list.scrollHeight > list.clientHeight && root.explorerPressed !== pressed.dataset.choose) {
    const top = pressed.offsetTop - list.offsetTop;
    if (top < list.scrollTop || top + pressed.offsetHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = top - list.clientHeight / 3;
  }
  root.explorerPressed = pressed?.dataset.choose;
  root.onmouseover = (event) => everywhere(event.target.closest("[data-lit]"));
  root.onmouseleave = () => everywhere(null);
  if (!root.explorerListens) root.addEventListener("focusin", focused); // there is no property for this event
  root.explorerListens = true;
  root.onclick = (event) => {
    const chosen = event.target.closest("[data-choose]");
    if (chosen) {
      for (const one of root.querySelectorAll("[aria-pressed]")) one.setAttribute("aria-pressed", String(one === chosen));
      setStateValue("chosen", { key: chosen.dataset.choose, run: data.run });
    } else everywhere(event.target.closest("[data-lit]"));
  };
  root.onkeydown = (event) => {
    if (walk(root, event.key)) event.preventDefault();
  };
}
