const PORT = /^[1-9]\d{0,4}$/
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i
const IPV6 = /^[0-9a-f:.]{2,45}$/i

/** Port of a link where its address names none; the panel has 7070, the web tool for databases 7071. */
export const LINK_PORT = 7072

/** A link's address in its parts; null where it is none. IPv6 addresses stand in brackets. */
export const parseLinkAddress = (text: string): { host: string; port: number } | null => {
  if (text.length > 260) return null
  const end = text.startsWith('[') ? text.indexOf(']') : -1
  const colon = end === -1 ? text.indexOf(':') : end + 1
  const host = end === -1 ? text.slice(0, colon === -1 ? undefined : colon) : text.slice(1, end)
  const rest = colon === -1 ? '' : text.slice(colon)
  if (!(end === -1 ? NAME : IPV6).test(host)) return null
  if (rest === '') return { host, port: LINK_PORT }
  if (!rest.startsWith(':') || !PORT.test(rest.slice(1))) return null
  const port = Number(rest.slice(1))
  return port < 65_536 ? { host, port } : null
}

/** Whether a text is the address of a link, with its port or without. */
export const isLinkAddress = (text: string): boolean => parseLinkAddress(text) !== null

/** With its port. */
export const formatLinkAddress = ({ host, port }: { host: string; port: number }): string =>
  `${host.includes(':') ? `[${host}]` : host}:${String(port)}`
