// The link that opens the list: the address of this very page, the list in its fragment.

/** @typedef {{ fragment: string, words: Record<string, string> }} Data */

/** @param {Page<Data>} page */
export function mount({ data, parentElement }) {
  const root = /** @type {HTMLElement} */ (parentElement.querySelector(".class-made"));
  const { words } = data, address = `${location.origin}${location.pathname}?open=1#${data.fragment}`;
  const label = document.createElement("label"), field = document.createElement("input");
  const copy = document.createElement("button"), said = document.createElement("span");
  Object.assign(field, { type: "text", readOnly: true, value: address, onfocus: () => field.select() });
  Object.assign(copy, { type: "button", textContent: words.copy });
  said.setAttribute("role", "status");
  copy.onclick = async () => {
    try {
      await navigator.clipboard.writeText(address);
      said.textContent = words.copied;
    } catch {
      field.select(); // without a safe context a page may not write to the clipboard
    }
  };
  label.append(words.link, field);
  root.replaceChildren(label, copy, said);
}
