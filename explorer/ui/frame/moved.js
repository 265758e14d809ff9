// The address of what stood on another page before: the same query and fragment there.
/** @param {Page<{ page: string }>} page */
export function mount({ data }) {
  const query = new URLSearchParams(location.search);
  query.delete("view");
  if (!query.has("source")) query.set("source", "program"); // what such an address meant
  const path = location.pathname.replace(/[^/]*\/?$/, data.page);
  location.replace(`${path}?${query}${location.hash}`);
}
