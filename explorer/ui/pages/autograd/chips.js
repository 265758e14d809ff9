// The backward calls of a program as a row of buttons: one is pressed, and the row and the program scroll to it.

export function mount({ data, parentElement, setStateValue }) {
  const row = parentElement.querySelector(".chips");
  const point = (place) => {
    row.dataset.pointed = place ? data.run : "";
    const detail = { spans: place ? [place] : [], source: "chips", kind: "select" };
    document.dispatchEvent(new CustomEvent("explorer:point", { detail }));
  };
  if (row.dataset.pointed && row.dataset.pointed !== data.run) point(null); // the line of another program
  const press = (number) => {
    point(data.chips[number][2]);
    setStateValue("chosen", { number, run: data.run, cell: data.cell });
  };
  row.setAttribute("aria-label", data.label);
  while (row.children.length > data.chips.length) row.lastChild.remove();
  data.chips.forEach(([title, where], i) => {
    let chip = row.children[i];
    if (!chip) {
      chip = row.appendChild(document.createElement("button"));
      chip.type = "button";
      chip.className = "chip";
      chip.append(document.createElement("b"), document.createElement("span"));
    }
    chip.onclick = () => press(i);
    chip.firstChild.textContent = title;
    chip.lastChild.textContent = where;
    chip.setAttribute("aria-pressed", String(i === data.shown));
    if (i === data.shown && row.dataset.shown !== `${i}`)
      row.scrollTo({ left: chip.offsetLeft - row.clientWidth / 2 + chip.offsetWidth / 2 });
  });
  row.dataset.shown = `${data.shown}`;
}
