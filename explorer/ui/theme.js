// Light or dark: Streamlit says it by its colours only, the tokens read data-theme on the root.

function mark() {
  const [r, g, b] = getComputedStyle(document.querySelector(".stApp")).backgroundColor.match(/\d+/g).map(Number);
  document.documentElement.dataset.theme = 0.299 * r + 0.587 * g + 0.114 * b < 128 ? "dark" : "light";
}

function mount() {
  mark();
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  const later = () => setTimeout(mark, 50); // when Streamlit has changed its colours
  scheme.addEventListener("change", later);
  return () => scheme.removeEventListener("change", later);
}
