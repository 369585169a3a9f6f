import { boundedMemo, isFrontServerField } from '#edge-cache/index.ts'
import type { PhpCall } from '#handlers/sites/origins/php-origin.ts'
import { rootOf } from '#handlers/sites/paths/resolve-path.ts'
import { SERVER_SOFTWARE } from '#handlers/sites/origins/server-software.ts'
import { shownHost, shownPort } from '#handlers/sites/names/shown-host.ts'
import { HOP_BY_HOP } from '../../messages/hop-by-hop.ts'
import { fieldsOf } from '../../messages/quick-headers.ts'

/** Names that reach a script unambiguously: with `_` or `.` two fields would share one variable. */
const PLAIN_NAME = /^[a-z0-9-]+$/
/** Given in another way, about one connection only, or (`proxy`) taken for configuration by libraries: httpoxy. */
const NOT_PASSED = new Set([
  ...HOP_BY_HOP,
  'proxy',
  'host',
  'content-type',
  'content-length',
  'expect',
])

/**
 * Whether a site's rules may set a variable: not what chooses or configures the
 * program (`PHP_ADMIN_VALUE`, `LD_PRELOAD`), nor what tells it of the request.
 */
const isSettable = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) && !RESERVED.test(name)
const RESERVED =
  /^(?:PHP_?(?:VALUE|ADMIN|RC|INI|FLAG|FCGI)|LD_|FCGI_|LSAPI|LSPHP|LS_|GATEWAY_|SERVER_|SCRIPT_|ORIG_|PATH|CONTENT_|DOCUMENT_|REQUEST_|QUERY_|REMOTE_(?:ADDR|PORT|HOST)|HTTP_(?:HOST|PROXY|COOKIE)|REDIRECT_STATUS$|HOME$|USER$|TMPDIR$|SHELL$|GLIBC|MALLOC_|USE_ZEND|OPENSSL_|SSL_CERT|TZDIR$)/i

/** Takes one variable. `isField`: the value comes from a header, one character per byte; others are text. */
export type TakeVariable = (name: string, value: string, isField: boolean) => void

/** The variable of a header field; null where it is not passed. */
const variableOf = boundedMemo(
  (name): string | null => {
    const passed = !NOT_PASSED.has(name) && PLAIN_NAME.test(name) && !isFrontServerField(name)
    return passed ? `HTTP_${name.toUpperCase().replaceAll('-', '_')}` : null
  },
  { maxTexts: 1000, maxLength: 64 },
)

/** The listener's own address, whatever name and port led to it. */
const purgeAddress = ({ secure, serverAddress, serverPort }: PhpCall['context']): string => {
  const address = serverAddress.includes(':') ? `[${serverAddress}]` : serverAddress
  return `${secure ? 'https' : 'http'}://${address}:${serverPort}`
}

/** Variables that are the same for all requests of a connection to one virtual host that differ in the target alone. */
export const connectionVariables = (
  request: Request,
  { vhost, context, host, pageCache }: PhpCall,
  take: TakeVariable,
): void => {
  const text = (name: string, value: string): void => take(name, value, false)
  text('GATEWAY_INTERFACE', 'CGI/1.1')
  text('SERVER_SOFTWARE', SERVER_SOFTWARE)
  text('SERVER_PROTOCOL', context.protocol)
  text('SERVER_NAME', host)
  text('SERVER_ADDR', context.serverAddress)
  text('SERVER_PORT', String(shownPort(request.headers, context)))
  text('REMOTE_ADDR', context.clientAddress)
  text('REMOTE_PORT', String(context.clientPort))
  text('REQUEST_METHOD', request.method)
  text('REQUEST_SCHEME', context.secure ? 'https' : 'http')
  text('DOCUMENT_ROOT', rootOf(vhost))
  text('HTTP_HOST', shownHost(request.headers, context, host))
  if (context.secure) text('HTTPS', 'on')
  if (pageCache !== true) return
  // By these LiteSpeed's plugins know a page cache that they can speak to.
  text('X-LSCACHE', 'on,crawler')
  text('LSWS_EDITION', 'Openlitespeed (Berth)')
  // Where scripts that answer nobody (scheduled tasks) can send a PURGE.
  text('PAGE_CACHE_PURGE', purgeAddress(context))
}

/** Scheme, name and port as scripts are told them, without a slash at the end. */
export const shownOrigin = (request: Request, { context, host }: PhpCall): string =>
  `${context.secure ? 'https' : 'http'}://${shownHost(request.headers, context, host)}`

/** Variables that tell what is asked for; `shownOrigin` as the function of that name gives it. */
export const targetVariables = (
  call: PhpCall,
  shownOrigin: string,
  contentLength: number | null,
  take: TakeVariable,
): void => {
  const text = (name: string, value: string): void => take(name, value, false)
  text('REQUEST_URI', call.requestUri)
  text('QUERY_STRING', call.queryString)
  const { requestUri } = call
  const query = requestUri.indexOf('?')
  const path = query === -1 ? requestUri : requestUri.slice(0, query)
  text('SCRIPT_URL', path)
  text('SCRIPT_URI', shownOrigin + path)
  text('DOCUMENT_URI', call.scriptName + call.pathInfo)
  text('SCRIPT_NAME', call.scriptName)
  text('SCRIPT_FILENAME', call.scriptFilename)
  text('REDIRECT_STATUS', String(call.errorStatus ?? 200))
  // No PATH_TRANSLATED: PHP may run that instead of SCRIPT_FILENAME.
  if (call.pathInfo !== '') text('PATH_INFO', call.pathInfo)
  if (call.tally) text('PAGE_CACHE_HITS', `${call.tally.hits}/${call.tally.requests}`)
  if (contentLength !== null) text('CONTENT_LENGTH', String(contentLength))
}

/** Variables of the request's fields. */
export const fieldVariables = (headers: Headers, take: TakeVariable): void => {
  for (const [name, value] of fieldsOf(headers)) {
    const variable = variableOf(name)
    if (variable !== null) take(variable, value, true)
    else if (name === 'content-type') take('CONTENT_TYPE', value, true)
  }
}

/** CGI variables of a request (RFC 3875, 4.1), as PHP wants them. */
export const cgiVariables = (
  request: Request,
  call: PhpCall,
  contentLength: number | null,
  take: TakeVariable,
): void => {
  const { env } = call
  const taken = env === undefined ? null : new Set<string>()
  const text: TakeVariable = (name, value, isField) => {
    taken?.add(name)
    take(name, value, isField)
  }
  connectionVariables(request, call, text)
  targetVariables(call, shownOrigin(request, call), contentLength, text)
  for (const [name, value] of env ?? []) {
    // PHP would take it for the script's own address, and lose what follows the script's name.
    // Where it is set, PHP-FPM takes PATH_INFO away from the script.
    if (name === 'REDIRECT_URL' && call.pathInfo !== '') continue
    if (!taken?.has(name) && isSettable(name) && !value.includes('\0')) take(name, value, false)
  }
  fieldVariables(request.headers, take)
}
