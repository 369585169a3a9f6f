/** What Berth tells an application of its visitor. */
const TOLD = new Set(
  ['for', 'proto', 'host', 'port'].map((one) => `x-forwarded-${one}`).concat('x-real-ip'),
)
/** What is said of one connection, or is Berth's own to say. */
const OF_CONNECTIONS = new Set(['connection', 'upgrade', 'proxy', 'forwarded', 'accept-encoding'])

/** What becomes of a header that another server gives its applications. */
export interface RequestHeaderFate {
  kind: 'changed' | 'lost'
  reason: string
}

/**
 * What becomes of a header of requests for applications: null, it is carried over; `told`, they get it
 * anyway. `value` is empty where the header is taken away, and holds `$` or `%` where it is no plain text.
 */
export const fateOfRequestHeader = (
  name: string,
  value: string,
): RequestHeaderFate | 'told' | null => {
  const lower = name.toLowerCase()
  if (OF_CONNECTIONS.has(lower)) return 'told'
  if (lower === 'host')
    return {
      ...({ kind: 'lost' } as const),
      reason:
        'An application is asked by the name that visitors use, or by its own address (preserve_host), not by another name.',
    }
  const isTold = TOLD.has(lower)
  if (!isTold && !lower.startsWith('x-forwarded-')) return null
  if (value === '' || (isTold && /[$%]/.test(value))) return 'told'
  if (isTold)
    return {
      ...({ kind: 'changed' } as const),
      reason:
        'Applications are told how the visitor came. Where TLS ends at a server in front of this one, name that in [panel] trusted_proxies.',
    }
  return {
    ...({ kind: 'lost' } as const),
    reason: 'Applications are told so by X-Forwarded-Proto and X-Forwarded-Host alone.',
  }
}
