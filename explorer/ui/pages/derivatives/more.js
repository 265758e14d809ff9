// A tab of More at the bottom of the window was pressed: scroll what it opens into view.

const TABS = ".st-key-derivatives_tabs";
const MOVES = ["wheel", "pointerdown", "touchstart", "keydown"]; // whoever moves the page has it

/** @typedef {HTMLElement & { explorerMore?: string, explorerStop?: () => void }} Tabs */

/** @param {Page<{ more: string }>} page @returns {Stop | void} */
export function mount({ data }) {
  const tabs = /** @type {Tabs | null} */ (document.querySelector(TABS));
  if (!tabs) return;
  const before = tabs.explorerMore;
  tabs.explorerMore = data.more;
  if (before !== undefined && before !== data.more && data.more) show(tabs);
  return (ended) => ended && tabs.explorerStop?.();
}

// What is below may be drawn late: the page follows until it is there.
/** @param {Tabs} tabs */
function show(tabs) {
  const main = tabs.closest(".stMain"), above = tabs.parentElement?.previousElementSibling, page = tabs.parentElement?.parentElement;
  if (!main || !above || !page) return;
  const stop = () => {
    grown.disconnect();
    for (const event of MOVES) removeEventListener(event, stop, true);
  };
  const grown = new ResizeObserver(() => {
    const beyond = above.getBoundingClientRect().bottom - main.getBoundingClientRect().top;
    main.scrollBy({ top: beyond });
  });
  tabs.explorerStop?.();
  tabs.explorerStop = stop;
  grown.observe(page);
  for (const event of MOVES) addEventListener(event, stop, true);
}
