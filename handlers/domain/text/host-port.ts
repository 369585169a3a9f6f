/**
 * `host` or `host:port` as a person writes it, an address of IPv6 in brackets; null for what is none.
 * `usualPort`: of a host alone; null: the port is to be named. The host is told without brackets.
 */
export const parseHostPort = (
  text: string,
  usualPort: number | null,
): { host: string; port: number } | null => {
  const found = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9][a-z0-9.-]{0,252})(?::(\d{1,5}))?$/i.exec(text)
  const port = Number(found?.[2] ?? usualPort ?? 0)
  if (!found || port < 1 || port > 65_535) return null
  return { host: (found[1] ?? '').replace(/^\[|\]$/g, ''), port }
}
