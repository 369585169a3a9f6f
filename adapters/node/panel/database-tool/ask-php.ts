import { PageTail } from '#handlers/sites/responses/incomplete-page.ts'
import type { ToolSession } from '#handlers/services/databases/tool.ts'
import { exchange } from '../../php-backends/exchange.ts'
import { FastcgiConnection } from '../../php-backends/fastcgi/connection.ts'
import { encodeVariables } from '../../php-backends/fastcgi/params.ts'

const TIMEOUT_MS = 310_000

/** A request as the tool is given it: nothing else of the browser's reaches it. */
export interface ToolRequest {
  method: 'GET' | 'POST'
  /** Of the session; the tool builds its own links with it. */
  path: string
  /** Without the question mark. */
  query: string
  contentType: string
  body: Uint8Array
  clientAddress: string
  secure: boolean
  language: string
  /** Whether a script of the tool asks. */
  isScript: boolean
}

const cookieOf = ({ cookies }: ToolSession): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** Has the tool's PHP answer a request of a session. Rejects where it does not answer as PHP does. */
export const askPhp = async (
  session: ToolSession,
  request: ToolRequest,
  signal: AbortSignal,
): Promise<Response> => {
  const { login, engine, database, user, id } = session
  const { method, path, query, body } = request
  const variables = {
    GATEWAY_INTERFACE: 'CGI/1.1',
    SERVER_PROTOCOL: 'HTTP/1.1',
    SERVER_SOFTWARE: 'berth',
    SERVER_NAME: 'localhost',
    REQUEST_METHOD: method,
    REQUEST_URI: query === '' ? path : `${path}?${query}`,
    QUERY_STRING: query,
    SCRIPT_NAME: path,
    SCRIPT_FILENAME: login.script,
    REMOTE_ADDR: request.clientAddress,
    ...(request.secure ? { HTTPS: 'on' } : {}),
    ...(method === 'POST'
      ? { CONTENT_TYPE: request.contentType, CONTENT_LENGTH: String(body.length) }
      : {}),
    HTTP_COOKIE: cookieOf(session),
    HTTP_ACCEPT_LANGUAGE: request.language,
    ...(request.isScript ? { HTTP_X_REQUESTED_WITH: 'XMLHttpRequest' } : {}),
    REDIRECT_STATUS: '200',
    BERTH_TOOL_DRIVER: engine === 'postgresql' ? 'pgsql' : 'server',
    BERTH_TOOL_SERVER: login.server,
    BERTH_TOOL_USER: login.user,
    BERTH_TOOL_PASSWORD: login.password,
    BERTH_TOOL_DATABASE: database,
    BERTH_TOOL_SHOWN: user,
    BERTH_TOOL_SESSION: id,
  }
  const connection = await FastcgiConnection.connect(login.socket)
  return exchange(connection, {
    method,
    head: encodeVariables(variables),
    body:
      method === 'POST'
        ? {
            sizeBytes: body.length,
            chunks: async function* () {
              yield body
            },
            dispose: async () => undefined,
          }
        : null,
    timeoutMs: TIMEOUT_MS,
    signal,
    writeError: () => undefined,
    domain: 'database tool',
    streaming: () => new PageTail(),
    release: () => connection.destroy(),
  })
}
