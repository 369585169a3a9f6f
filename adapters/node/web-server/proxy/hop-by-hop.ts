import { HOP_BY_HOP } from '../../messages/hop-by-hop.ts'

/** What is between an origin and us only: between proxies those about proxies are so as well. */
export const PROXY_HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  'proxy-authenticate',
  'proxy-authorization',
])

/** Names that a `Connection` field lists, lower case. */
export const listedFields = (connection: string | null | undefined): Set<string> =>
  new Set(
    (connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  )
