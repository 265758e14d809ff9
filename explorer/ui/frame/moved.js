// The address of what stood on another page before: the same query and fragment there.
/** @param {Page<{ page: string, query: Record<string, string> }>} page */
export function mount({ data }) {
  const query = new URLSearchParams(location.search);
  query.delete("view");
  for (const [name, value] of Object.entries(data.query)) query.set(name, value);
  const path = location.pathname.replace(/[^/]*\/?$/, data.page);
  location.replace(`${path}?${query}${location.hash}`);
}
