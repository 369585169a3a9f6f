/** The host that a client named. */
export interface RequestedHost {
  /** Lower case, without port and final dot; an IPv6 address keeps its brackets. */
  name: string
  /** Null when none was given. */
  port: number | null
}

const HOST =
  /^(?<name>(?=.{1,254}(?::|$))[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*\.?|\[[0-9a-f:.]{2,45}\])(?::(?<port>\d{0,5}))?$/

const read = (field: string): RequestedHost | null => {
  const groups = HOST.exec(field.toLowerCase())?.groups
  if (groups?.['name'] === undefined) return null
  const port = groups['port'] ? Number(groups['port']) : null
  if (port !== null && (port < 1 || port > 65_535)) return null
  return { name: groups['name'].replace(/\.$/, ''), port }
}

/** The field that was read last: a request's is read at several places. */
let last: { field: string; host: Readonly<RequestedHost> | null } = { field: '', host: null }

/** Reads a `Host` field (RFC 9110, 7.2); null when it is none (answer 400). */
export const parseHost = (field: string): Readonly<RequestedHost> | null => {
  if (field !== last.field) last = { field, host: read(field) }
  return last.host
}
