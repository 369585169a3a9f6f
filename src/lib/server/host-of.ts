/** The machine that a page's address names, for the API; empty: that of the panel. */
export const hostOf = ({ url }: { url: URL }): { host: string | null; query: string } => {
  const host = url.searchParams.get('host')
  return host === null || host === ''
    ? { host: null, query: '' }
    : { host, query: `?host=${encodeURIComponent(host)}` }
}
