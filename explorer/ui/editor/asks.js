// Sends the name of a call to the server and its documentation back to the editor. Invisible.

/** @param {Page<Helped>} page @returns {Stop} */
export function mount({ data, setStateValue }) {
  if (data.name) document.dispatchEvent(new CustomEvent("explorer:helped", { detail: data }));
  const ask = (/** @type {DocumentEventMap["explorer:help"]} */ { detail }) => setStateValue("asked", { name: detail.name, count: Date.now() });
  document.addEventListener("explorer:help", ask);
  return () => document.removeEventListener("explorer:help", ask);
}
