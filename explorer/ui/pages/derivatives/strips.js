// Pictures that stand still: two drawings of the same, of which the page shows the one that fits.

export function mount({ data, parentElement }) {
  const place = parentElement.querySelector(".strips");
  const told = JSON.stringify(data);
  if (place.explorer === told) return;
  place.explorer = told;
  for (const name of ["wide", "narrow"]) {
    const parsed = new DOMParser().parseFromString(data[name], "image/svg+xml").documentElement;
    place.querySelector(`.${name}`).replaceChildren(document.adoptNode(parsed));
  }
}
