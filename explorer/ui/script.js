// Stands for a component whose script is a message of its own: calls it as soon as it is there.

export default function (page) {
  const scripts = (globalThis.explorerScripts ??= {});
  let stop;
  let gone = false;
  const start = () => {
    if (!gone && scripts.NAME && stop === undefined) stop = scripts.NAME(page) ?? null;
  };
  start();
  document.addEventListener("explorer:script", start);
  return () => {
    gone = true;
    document.removeEventListener("explorer:script", start);
    stop?.();
  };
}
