// Stands for a component whose script is a message of its own: calls it as soon as it is there.

/** @param {Page<unknown>} page @returns {Stop} */
export function mount(page) {
  const scripts = (globalThis.explorerScripts ??= {});
  /** @type {Stop | undefined} */
  let stop;
  const start = () => scripts.NAME && (stop ??= scripts.NAME(page) ?? (() => {}));
  document.addEventListener("explorer:script", start);
  start();
  return (ended) => {
    document.removeEventListener("explorer:script", start);
    stop?.(ended);
  };
}
