/** Fields that belong to one connection (RFC 9110, 7.6.1). */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
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
