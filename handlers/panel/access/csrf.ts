import { forbidden } from '../../errors.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses a cookie-authenticated request that changes state unless something
 * shows that the panel's own page sent it. `SameSite=Strict` alone does not
 * stop another port of the same host. Throws 403.
 */
export const assertOwnPage = (
  request: Request,
  ownOrigin: string,
  options: { changesState?: boolean } = {},
): void => {
  if (SAFE_METHODS.has(request.method) && options.changesState !== true) return
  const header = (name: string) => request.headers.get(name)
  if (header('x-requested-with') === 'berth') return
  if (header('sec-fetch-site') === 'same-origin') return
  // A browser that sends Sec-Fetch-Site and says otherwise has named a foreign page.
  if (header('sec-fetch-site') === null && header('origin') === ownOrigin) return
  throw forbidden(
    'This request did not come from the panel itself. Send the header "X-Requested-With: berth", or use a Bearer token.',
  )
}

/**
 * Refuses a request that a foreign page makes with the cookie, also one that
 * only reads: for streams, which stay open. A browser that tells neither
 * `Origin` nor `Sec-Fetch-Site` cannot read the answer across origins. Throws 403.
 */
export const assertNotForeign = (request: Request, ownOrigin: string): void => {
  const { headers } = request
  if (headers.has('authorization')) return
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  if ((site === null || site === 'same-origin') && (origin === null || origin === ownOrigin)) return
  throw forbidden('Only the pages of the panel itself may follow its events with the cookie.')
}
