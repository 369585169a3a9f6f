import type { PhpCall } from '#handlers/sites/php-origin.ts'
import { encodeStream, RECORD } from './records.ts'

/** Names that reach a script unambiguously: with `_` or `.` two fields would share one variable. */
const PLAIN_NAME = /^[a-z0-9-]+$/
/** Given in another way, about one connection only, or (`proxy`) taken for configuration by libraries: httpoxy. */
const NOT_PASSED = new Set([
  'proxy',
  'host',
  'content-type',
  'content-length',
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'http2-settings',
])

/** The panel's session. Browsers send cookies to every port of a host, so it may come along. */
const PANEL_COOKIE = /^\s*panel_token\s*(?:=|$)/i

const withoutPanelCookie = (field: string): string =>
  field
    .split(';')
    .filter((pair) => !PANEL_COOKIE.test(pair))
    .join(';')
    .trim()

/**
 * Whether a site's rules may set a variable: not what chooses or configures the
 * program (`PHP_ADMIN_VALUE`, `LD_PRELOAD`), nor what tells it of the request.
 */
const isSettable = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name) && !RESERVED.test(name)
const RESERVED =
  /^(?:PHP_?(?:VALUE|ADMIN|RC|INI|FLAG|FCGI)|LD_|FCGI_|LSAPI|LSPHP|LS_|GATEWAY_|SERVER_|SCRIPT_|ORIG_|PATH|CONTENT_|DOCUMENT_|REQUEST_|QUERY_|REMOTE_(?:ADDR|PORT|HOST)|HTTP_(?:HOST|PROXY|COOKIE)|REDIRECT_STATUS$|HOME$|USER$|TMPDIR$|SHELL$|GLIBC|MALLOC_|USE_ZEND|OPENSSL_|SSL_CERT|TZDIR$)/i

/** CGI variables of a request (RFC 3875, 4.1), as PHP wants them; header values are bytes, one per character. */
export const cgiVariables = (
  request: Request,
  call: PhpCall,
  contentLength: number | null,
): { variables: [string, string][]; headers: [string, string][] } => {
  const { vhost, context } = call
  const root = vhost.root.replace(/\/+$/, '')
  const type = request.headers.get('content-type')
  const variables: [string, string][] = [
    ['GATEWAY_INTERFACE', 'CGI/1.1'],
    ['SERVER_SOFTWARE', 'Berth'],
    ['SERVER_PROTOCOL', context.protocol],
    ['SERVER_NAME', call.host],
    ['SERVER_ADDR', context.serverAddress],
    ['SERVER_PORT', String(context.serverPort)],
    ['REMOTE_ADDR', context.clientAddress],
    ['REMOTE_PORT', String(context.clientPort)],
    ['REQUEST_METHOD', request.method],
    ['REQUEST_SCHEME', context.secure ? 'https' : 'http'],
    ['REQUEST_URI', call.requestUri],
    ['QUERY_STRING', call.queryString],
    ['DOCUMENT_ROOT', root],
    ['DOCUMENT_URI', `${call.scriptName}${call.pathInfo}`],
    ['SCRIPT_NAME', call.scriptName],
    ['SCRIPT_FILENAME', call.scriptFilename],
    ['REDIRECT_STATUS', String(call.errorStatus ?? 200)],
    ['HTTP_HOST', hostField(request, call)],
  ]
  // No PATH_TRANSLATED: PHP may run that instead of SCRIPT_FILENAME.
  if (call.pathInfo !== '') variables.push(['PATH_INFO', call.pathInfo])
  if (context.secure) variables.push(['HTTPS', 'on'])
  if (contentLength !== null) variables.push(['CONTENT_LENGTH', String(contentLength)])
  const taken = new Set(variables.map(([name]) => name))
  for (const [name, value] of call.env ?? []) {
    // PHP would take it for the script's own address, and lose what follows the script's name.
    if (name === 'REDIRECT_URL' && call.pathInfo !== '') continue
    // Where it is set, PHP-FPM takes PATH_INFO away from the script.
    if (name === 'REDIRECT_URL' && call.pathInfo !== '') continue
    if (!taken.has(name) && isSettable(name) && !value.includes('\0')) variables.push([name, value])
  }
  const headers: [string, string][] = []
  if (type !== null) headers.push(['CONTENT_TYPE', type])
  for (const [name, value] of request.headers) {
    if (NOT_PASSED.has(name) || !PLAIN_NAME.test(name)) continue
    if (name === 'cookie') {
      const cookies = withoutPanelCookie(value)
      if (cookies !== '') headers.push(['HTTP_COOKIE', cookies])
      continue
    }
    headers.push([`HTTP_${name.toUpperCase().replaceAll('-', '_')}`, value])
  }
  return { variables, headers }
}

/**
 * The Host that scripts build addresses from: a port only when it is the
 * listener's, because one that a client made up would end in shared pages.
 */
export const hostField = (
  request: Request,
  { context, host }: Pick<PhpCall, 'context' | 'host'>,
): string => {
  const port = /:(\d+)$/.exec(request.headers.get('host') ?? '')?.[1]
  const usual = context.secure ? 443 : 80
  const shown = Number(port) === context.serverPort && context.serverPort !== usual
  return shown ? `${host}:${context.serverPort}` : host
}

const lengthBytes = (size: number): number => (size < 128 ? 1 : 4)

const writeLength = (target: Buffer, at: number, size: number): number => {
  if (size < 128) {
    target[at] = size
    return at + 1
  }
  target.writeUInt32BE((size | 0x80000000) >>> 0, at)
  return at + 4
}

/** Name-value pairs (FastCGI 1.0, 3.4). */
const encodePairs = (pairs: readonly (readonly [string, Buffer])[]): Buffer => {
  let size = 0
  for (const [name, value] of pairs) {
    size += lengthBytes(name.length) + lengthBytes(value.length) + name.length + value.length
  }
  const content = Buffer.allocUnsafe(size)
  let at = 0
  for (const [name, value] of pairs) {
    at = writeLength(content, at, name.length)
    at = writeLength(content, at, value.length)
    at += content.write(name, at, 'latin1')
    at += value.copy(content, at)
  }
  return content
}

/** The PARAMS stream of a request. `contentLength` null: there is no body. */
export const encodeParams = (
  request: Request,
  call: PhpCall,
  contentLength: number | null,
): Buffer => {
  const { variables, headers } = cgiVariables(request, call, contentLength)
  return encodeStream(
    RECORD.params,
    encodePairs([
      ...variables.map(([name, value]) => [name, Buffer.from(value, 'utf8')] as const),
      ...headers.map(([name, value]) => [name, Buffer.from(value, 'latin1')] as const),
    ]),
  )
}
