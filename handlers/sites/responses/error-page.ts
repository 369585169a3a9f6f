/** Title and sentence of each page; for visitors, so without a word about the machine. */
const TEXTS: Record<number, [title: string, text: string]> = {
  400: ['Bad request', 'The address or the request is not well formed.'],
  403: ['Forbidden', 'You may not see this page.'],
  404: ['Page not found', 'There is nothing at this address.'],
  405: ['Method not allowed', 'This page cannot be asked in this way.'],
  413: ['Too large', 'The request is larger than this site accepts.'],
  421: ['Wrong connection', 'This connection was made to another site. Please try again.'],
  429: ['Too many requests', 'You have asked this site too often. Please wait a moment.'],
  431: ['Too large', 'The request carries more cookies or other headers than this site accepts.'],
  500: ['Something went wrong', 'The site could not answer. Please try again later.'],
  502: ['Bad answer', 'The site gave an answer that cannot be shown. Please try again later.'],
  503: ['Not available', 'The site cannot answer right now. Please try again later.'],
  504: ['Too slow', 'The site took too long to answer. Please try again later.'],
}
const UNKNOWN_HOST: [string, string] = ['No site here', 'There is no site at this address.']
const SUSPENDED: [string, string] = ['Site suspended', 'This site has been suspended.']

const OVER_BANDWIDTH: [string, string] = [
  'Bandwidth limit exceeded',
  'This site has used up its traffic for this month. It will be back when the next month begins.',
]

const render = (status: number, [title, text]: [string, string]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    new TextEncoder().encode(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>
:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;font:16px/1.5 system-ui,sans-serif}
main{max-width:28rem;padding:2rem}
h1{font-size:1.5rem;margin:0 0 .5rem}
p{margin:0;opacity:.7}
</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
<p><small>${status}</small></p>
</main>
</body>
</html>
`),
  )

const HTML = 'text/html; charset=utf-8'
const FALLBACK: [string, string] = ['Error', 'The request could not be answered.']
const rendered = new Map<string, Uint8Array<ArrayBuffer>>()

const pageOf = (key: string, status: number, words: [string, string]): Uint8Array<ArrayBuffer> => {
  let page = rendered.get(key)
  if (!page) rendered.set(key, (page = render(status, words)))
  return page
}

const respond = (
  method: string,
  status: number,
  page: Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Response =>
  new Response(method === 'HEAD' ? null : page, {
    status,
    headers: {
      'content-type': HTML,
      'content-length': String(page.byteLength),
      ...headers,
    },
  })

/** A neutral page for `status`. */
export const errorPage = (
  method: string,
  status: number,
  headers?: Record<string, string>,
): Response =>
  respond(method, status, pageOf(String(status), status, TEXTS[status] ?? FALLBACK), headers)

const NO_STORE = { 'cache-control': 'no-store' }

/** What `unknownHostPage` says to a GET, without its length. */
export const UNKNOWN_HOST_PAGE = {
  fields: [['content-type', HTML], ...Object.entries(NO_STORE)] as [string, string][],
  body: render(404, UNKNOWN_HOST),
}

/** 404 for a name that no virtual host has. Never stored: the name may be a site in a minute. */
export const unknownHostPage = (method: string): Response =>
  respond(method, 404, UNKNOWN_HOST_PAGE.body, NO_STORE)

/** 503 for a suspended site. */
export const suspendedPage = (method: string): Response =>
  respond(method, 503, pageOf('suspended', 503, SUSPENDED), {
    'cache-control': 'no-store',
    'retry-after': '3600',
  })

/** 503 for what held up the server before. */
export const heldPage = (method: string): Response =>
  errorPage(method, 503, { 'cache-control': 'no-store', 'retry-after': '600', server: 'Berth' })

/** 509, which no RFC has but every hosting panel: the account's monthly traffic is used up. */
export const overBandwidthPage = (method: string): Response =>
  respond(method, 509, pageOf('bandwidth', 509, OVER_BANDWIDTH), {
    'cache-control': 'no-store',
    'retry-after': '3600',
  })
