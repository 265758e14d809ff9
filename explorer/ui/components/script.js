// Stands for a component: calls its script, which is a message of its own, as soon as it is there. Streamlit calls this
// again at every change of the data, and what it returns only at the component's end.

/** @param {Page<unknown>} page @returns {Stop} */
export function draw(page) {
  const scripts = (globalThis.explorerScripts ??= {});
  const here = /** @type {HTMLElement & { explorerStop?: Stop }} */ (page.parentElement);
  here.explorerStop?.();
  const start = () => {
    if (!scripts.NAME) return;
    document.removeEventListener("explorer:script", start);
    here.explorerStop = scripts.NAME(page) ?? (() => {});
  };
  here.explorerStop = () => document.removeEventListener("explorer:script", start);
  document.addEventListener("explorer:script", start);
  start();
  return () => here.explorerStop?.(true);
}
