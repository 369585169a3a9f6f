import { parseLinkAddress } from '../hosts/link-address.ts'
import { parseProxyUpstream } from '../upstreams/proxy-upstream.ts'

/** An address of a listener: of one machine, or of all that the machine has. */
const LISTEN = /^(\[[0-9a-f:.]+\]|[^:[\]]+):(\d{1,5})$/i
const ALL: readonly string[] = ['0.0.0.0', '[::]', '*']

/** Whether a front takes it. A machine says so itself, and may lie: it would keep fronts from all that comes with it. */
const isAskable = (address: string): boolean => {
  if (parseLinkAddress(address) === null) return false
  const upstream = parseProxyUpstream(`https://${address}`)
  return typeof upstream !== 'string' && upstream.kind === 'tcp'
}

/**
 * Where fronts reach a host that listens for them there, as `address:port`: the first listener that names
 * an address; else, where it listens at all that it has, the address of its link. Null: nowhere.
 */
export const frontAddress = (listen: readonly string[], linkAddress: string): string | null => {
  const parsed = listen.flatMap((one) => {
    const [, host, port] = LISTEN.exec(one) ?? []
    if (host === undefined || port === undefined) return []
    return isAskable(`${host === '*' ? '0.0.0.0' : host}:${port}`) ? [{ host, port }] : []
  })
  const named = parsed.find(({ host }) => !ALL.includes(host))
  if (named !== undefined) return `${named.host}:${named.port}`
  const [any] = parsed
  const link = parseLinkAddress(linkAddress)
  if (any === undefined || link === null) return null
  return `${link.host.includes(':') ? `[${link.host}]` : link.host}:${any.port}`
}
