import { hasTellingCookie } from './cookies.ts'
import { neutralUserAgent } from './device-class.ts'
import { withoutQuery } from './ignorable-query.ts'
import type { PageVariant } from './page-cache.ts'

/**
 * What every browser sends of itself. An origin that answers by it without a
 * `Vary` would give one visitor's page to all, so none of it reaches the fill.
 */
const USUAL = new Set([
  'user-agent',
  'accept',
  'accept-language',
  'referer',
  'dnt',
  'save-data',
  'priority',
  'upgrade-insecure-requests',
])

/** Dropped without consequence for what the origin answers. */
const IMMATERIAL = new Set([
  'accept-encoding',
  'cache-control',
  'connection',
  'content-length',
  'keep-alive',
  'pragma',
  'proxy-connection',
  'te',
])

/** How much of the client's request was left out of the one that fills. */
export type Reduction =
  /** Nothing of consequence. */
  | 'none'
  /** What all browsers send: it shapes answers to one person, hardly ever others. */
  | 'usual'
  /** Cookies, a query, or headers that few send: the origin may have needed them. */
  | 'material'

export interface FillRequest {
  request: Request
  /** An answer that is not for everybody must then be asked for again, with the client's request. */
  reduction: Reduction
}

const ACCEPT = 'text/html,application/xhtml+xml,*/*;q=0.8'

/**
 * The request that fills a shared page: GET, without query, cookies, and any
 * header that a client could shape what others see with (`X-Forwarded-Host`,
 * `Accept-Language`, `User-Agent`...), uncompressed, and not bound to the client's
 * connection, so that a visitor who leaves does not break the fill for those who
 * wait. `conditions` are the validators of an entry that is looked after.
 */
export const fillRequest = (
  request: Request,
  options: { conditions?: Readonly<Record<string, string>>; variant?: PageVariant } = {},
): FillRequest => {
  const headers = new Headers()
  let usual = false
  let material = request.url.includes('?')
  for (const [name, value] of request.headers) {
    if (name === 'host') headers.append(name, value)
    else if (USUAL.has(name) || name.startsWith('sec-')) usual = true
    else if (name === 'cookie') material ||= hasTellingCookie(value)
    else if (!IMMATERIAL.has(name)) material = true
  }
  headers.set('accept', ACCEPT)
  headers.set('user-agent', neutralUserAgent(options.variant ?? null))
  for (const [name, value] of Object.entries(options.conditions ?? {})) headers.set(name, value)
  return {
    request: new Request(withoutQuery(request.url), { method: 'GET', headers }),
    reduction: material ? 'material' : usual ? 'usual' : 'none',
  }
}
