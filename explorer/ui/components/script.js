// A component's stub: calls its script, which is a separate message, as soon as it arrives. Streamlit calls this again at
// every change of the data, and its result only at the component's end.

/** @param {Page<Uint8Array | null>} page @returns {Stop} */
export function draw(page) {
  const scripts = (globalThis.explorerScripts ??= {});
  const here = /** @type {HTMLElement & { explorerStop?: Stop }} */ (page.parentElement);
  here.explorerStop?.();
  const start = () => {
    if (!scripts.NAME) return;
    document.removeEventListener("explorer:script", start);
    const data = page.data && JSON.parse(new TextDecoder().decode(page.data));
    here.explorerStop = scripts.NAME({ ...page, data }) ?? (() => {});
  };
  here.explorerStop = () => document.removeEventListener("explorer:script", start);
  document.addEventListener("explorer:script", start);
  start();
  return () => here.explorerStop?.(true);
}
