import { parseLinkAddress } from '../hosts/link-address.ts'

/** An address of a listener: of one machine, or of all that the machine has. */
const LISTEN = /^(\[[0-9a-f:.]+\]|[^:[\]]+):(\d{1,5})$/i
const ALL: readonly string[] = ['0.0.0.0', '[::]', '*']

/**
 * Where fronts reach a host that listens for them there, as `address:port`: the first listener that names
 * an address; else, where it listens at all that it has, the address of its link. Null: nowhere.
 */
export const frontAddress = (listen: readonly string[], linkAddress: string): string | null => {
  const parsed = listen.flatMap((one) => {
    const [, host, port] = LISTEN.exec(one) ?? []
    return host === undefined || port === undefined ? [] : [{ host, port }]
  })
  const named = parsed.find(({ host }) => !ALL.includes(host))
  if (named !== undefined) return `${named.host}:${named.port}`
  const [any] = parsed
  const link = parseLinkAddress(linkAddress)
  if (any === undefined || link === null) return null
  return `${link.host.includes(':') ? `[${link.host}]` : link.host}:${any.port}`
}
