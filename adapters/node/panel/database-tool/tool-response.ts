import type { ToolSession } from '#handlers/services/databases/tool.ts'

/**
 * On everything of the tool. The sandbox without `allow-same-origin` gives its pages an
 * origin that is nobody's: they reach neither the panel nor each other, whatever a table makes
 * them run. The tool's own policy, with its nonces, holds besides.
 */
const POLICY = [
  'sandbox allow-forms allow-scripts allow-modals allow-downloads',
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

const headersOf = (more: Readonly<Record<string, string>>): Headers =>
  new Headers({
    'content-security-policy': POLICY,
    // The address of a page is the key to its session.
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex, nofollow',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'cache-control': 'no-store',
    // Pages of no origin ask for tables in the background; who does not know the address learns nothing.
    'access-control-allow-origin': 'null',
    'access-control-allow-headers': 'content-type, x-requested-with',
    vary: 'origin',
    ...more,
  })

/** A page of ours. */
export const plainPage = (status: number, text: string): Response =>
  new Response(
    `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Berth</title><p style="font:16px/1.5 system-ui;margin:3rem auto;max-width:34rem;padding:0 1rem">${text}</p>\n`,
    { status, headers: headersOf({ 'content-type': 'text/html; charset=utf-8' }) },
  )

/** What a page of the tool may ask from a script, asked beforehand. */
export const preflight = (): Response => new Response(null, { status: 204, headers: headersOf({}) })

/** Leads to another page of the tool. */
export const leadTo = (location: string): Response =>
  new Response(null, { status: 303, headers: headersOf({ location }) })

const PASSED = ['content-type', 'content-disposition', 'content-language']
/** A place within the session: neither another host nor another path. */
const LOCAL = /^(?:\?[^\r\n]*|\.?)$/

const takeCookies = ({ cookies }: ToolSession, headers: Headers): void => {
  for (const line of headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([A-Za-z0-9_]{1,64})=([^;\s]{0,4096})/.exec(line) ?? []
    if (name === '') continue
    if (value === '' || value === 'deleted') cookies.delete(name)
    else if (cookies.has(name) || cookies.size < 20) cookies.set(name, value)
  }
}

/** The answer of the tool's PHP as the browser may have it: its cookies stay here. */
export const toolResponse = (session: ToolSession, path: string, answer: Response): Response => {
  takeCookies(session, answer.headers)
  const headers = headersOf({})
  for (const name of PASSED) {
    const value = answer.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  const own = answer.headers.get('content-security-policy')
  if (own !== null) headers.append('content-security-policy', own)
  const location = answer.headers.get('location')
  if (location !== null) {
    const inside = location.startsWith(path) ? location.slice(path.length) : location
    headers.set('location', `${path}${LOCAL.test(inside) ? inside.replace(/^\.$/, '') : ''}`)
  }
  return new Response(answer.body, { status: answer.status, headers })
}
