import { LOGIN_PATH } from '../domain/wordpress/login-path.ts'
import { isAppError } from '../errors.ts'
import { errorPage } from './responses/error-page.ts'
import type { SiteCall } from './site-call.ts'

/** What a ticket opened: values of `Set-Cookie`, and where the browser goes then. */
export interface OpenedSite {
  cookies: string[]
  location: string
}

/** Takes a ticket at a site (by its primary name), once; throws an `AppError` for one that is not good there. */
export type OpenSite = (domain: string, ticket: string) => Promise<OpenedSite>

const MAX_BODY_BYTES = 1024
const TICKET = /^[A-Za-z0-9_-]{43}$/
const NO_STORE = { 'cache-control': 'no-store', server: 'Berth' }

/** Whether a request is for the administration's log-in by a ticket of the panel; sites without PHP have none. */
export const isSiteLogin = ({ vhost, target }: Pick<SiteCall, 'vhost' | 'target'>): boolean =>
  target.path === LOGIN_PATH && vhost.php.enable

const page = (nonce: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Log in</title>
<style nonce="${nonce}">
:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;font:16px/1.5 system-ui,sans-serif}
</style>
</head>
<body>
<form method="post" action="${LOGIN_PATH}"><input type="hidden" name="ticket"><noscript>This needs JavaScript.</noscript></form>
<script nonce="${nonce}">
const ticket = location.hash.slice(1)
history.replaceState(null, '', location.pathname)
if (ticket !== '') { const [form] = document.forms; form.ticket.value = ticket; form.submit() }
</script>
</body>
</html>
`

/** The page that sends what stands behind # on in a body; it names no site, and nobody else may run in it. */
const sender = (method: string): Response => {
  const nonce = crypto.randomUUID()
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return new Response(method === 'HEAD' ? null : page(nonce), {
    headers: {
      ...NO_STORE,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      // Not `no-referrer`: with it browsers send `Origin: null` on the page's own form.
      'referrer-policy': 'same-origin',
      'x-robots-tag': 'noindex',
    },
  })
}

/** A body of at most a few octets; null where it is more. */
const smallBody = async (request: Request): Promise<string | null> => {
  if (request.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of request.body) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > MAX_BODY_BYTES) return null
  }
  return text
}

/** Whether the page of another origin sent it: it would log its visitor in as somebody else. */
const isForeign = ({ headers }: Request): boolean => {
  const origin = headers.get('origin')
  if (origin === null) return false
  try {
    return new URL(origin).host !== headers.get('host')
  } catch {
    return true
  }
}

/**
 * Answers `LOGIN_PATH` of a site. The ticket comes in a body alone, so that no log has it;
 * what it opens is decided by whoever gave it out.
 */
export const createSiteLogin =
  (open: OpenSite) =>
  async (request: Request, { vhost }: Pick<SiteCall, 'vhost'>): Promise<Response> => {
    const { method } = request
    if (method === 'GET' || method === 'HEAD') return sender(method)
    if (method !== 'POST') return errorPage(method, 405, { ...NO_STORE, allow: 'GET, HEAD, POST' })
    if (isForeign(request)) return errorPage(method, 403, NO_STORE)
    const body = await smallBody(request)
    const ticket = body === null ? null : new URLSearchParams(body).get('ticket')
    if (ticket === null || !TICKET.test(ticket)) return errorPage(method, 404, NO_STORE)
    try {
      const { cookies, location } = await open(vhost.domain, ticket)
      const headers = new Headers({ ...NO_STORE, location, 'content-length': '0' })
      for (const cookie of cookies) headers.append('set-cookie', cookie)
      return new Response(null, { status: 303, headers })
    } catch (error) {
      if (!isAppError(error)) throw error
      return errorPage(method, error.status === 404 ? 404 : 503, NO_STORE)
    }
  }
