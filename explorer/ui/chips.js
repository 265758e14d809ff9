// The backward calls of a program as a row of buttons: one is pressed, and the row scrolls to it.

function mount({ data, parentElement, setStateValue }) {
  const row = parentElement.querySelector(".chips");
  const press = (number) => setStateValue("chosen", { number, run: data.run, cell: data.cell });
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
