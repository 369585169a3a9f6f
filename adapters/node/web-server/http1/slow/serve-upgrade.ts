import type { IncomingMessage } from 'node:http'
import { Duplex } from 'node:stream'
import type { SwitchedConnection } from '#handlers/sites/site-context.ts'
import { visitorOf } from '../general/visitor-of.ts'
import { joinTunnel } from '../../proxy/tunnel.ts'
import type { Tunnels } from '../../proxy/tunnels.ts'
import { nameOf, type MessageOptions } from './serve-message.ts'
import { serveSite } from './serve-site.ts'
import { headersOfMessage, judgeTarget, type JudgedTarget } from '../general/node-request.ts'
import { sentBefore } from '../write/pump-body.ts'
import { hasBody } from './request-body.ts'
import { factsOf } from '../../front/told-facts.ts'
import { writeResponse } from '../general/write-response.ts'

/** How long a client may take to close after a response that was no switch. */
const LINGER_MS = 3000

/**
 * Whether a request asks for a WebSocket (RFC 6455, 4.1) and nothing else. Any
 * other protocol is none of ours to open: the `Upgrade` is ignored then.
 */
export const asksForWebSocket = (message: IncomingMessage): boolean =>
  message.method === 'GET' &&
  message.httpVersion === '1.1' &&
  message.headers.upgrade?.toLowerCase() === 'websocket' &&
  !hasBody(message)

const headOf = ({ reason, fields }: SwitchedConnection): string =>
  `HTTP/1.1 101 ${reason === '' ? 'Switching Protocols' : reason}\r\n${fields
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`

/**
 * Answers a request for a WebSocket. The connection becomes a tunnel only when
 * the application itself switched with 101; any other answer is written as an
 * answer and ends the connection, and what the client sent ahead is never
 * looked at. `ahead`: bytes behind the request.
 */
export const serveUpgrade = async (
  message: IncomingMessage,
  socket: Duplex,
  ahead: Buffer,
  options: MessageOptions & { tunnels: Tunnels },
): Promise<void> => {
  const { clock, log, accessLog, tunnels } = options
  clock.update()
  options.onRequest()
  const startedMs = performance.now()
  const facts = factsOf(message)
  if (facts === null) return void socket.destroy()
  const abort = new AbortController()
  socket.on('error', () => socket.destroy())
  socket.once('close', () => abort.abort(new Error('The client closed the connection.')))
  let switched: SwitchedConnection | null = null
  let judged: JudgedTarget | null = null
  const context = {
    ...facts,
    protocol: 'HTTP/1.1' as const,
    rawTarget: message.url ?? '',
    upgrade: { accept: (connection: SwitchedConnection) => void (switched = connection) },
  }
  const record = (status: number, bodyBytes: number, cache: string | null): void => {
    clock.update()
    const host = nameOf(message)
    accessLog.record({
      address: facts.clientAddress,
      method: 'GET',
      target: message.url ?? '',
      protocol: 'HTTP/1.1',
      status,
      bodyBytes,
      ...visitorOf(message, facts.clientAddress, host),
      host,
      cache,
      durationMs: performance.now() - startedMs,
    })
  }
  const { response } = await serveSite(
    (request) => options.site(request, { ...context, rawTarget: judged?.rawTarget ?? '' }),
    () => {
      judged = judgeTarget(message, facts.secure)
      const headers = headersOfMessage(message)
      return new Request(judged.url, { method: 'GET', headers, signal: abort.signal })
    },
    context,
    log,
  )
  // TypeScript does not see that `accept` may have run.
  const accepted = switched as SwitchedConnection | null
  if (accepted !== null) {
    const { connection, first, idleSecs, domain } = accepted
    if (!(connection instanceof Duplex)) throw new TypeError('The connection is no byte stream.')
    socket.write(headOf(accepted), 'latin1')
    if (first.byteLength > 0) socket.write(first)
    if (ahead.byteLength > 0) connection.write(ahead)
    const tunnel = joinTunnel(socket, connection, {
      domain,
      idleMs: idleSecs * 1000,
      onEnd: (bytesToClient) => {
        tunnels.remove(tunnel)
        record(101, bytesToClient + first.byteLength, null)
      },
    })
    tunnels.add(tunnel)
    return
  }
  let bodyBytes: number
  const { status, headers } = response
  try {
    const head = { method: 'GET', httpDate: clock.httpDate, close: true }
    bodyBytes = (await writeResponse(message.socket, response, head)).bodyBytes
    socket.end()
    socket.resume()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
  } catch (error) {
    bodyBytes = sentBefore(error)
    if (!socket.destroyed) log.error('an answer broke off', { ...facts, error: String(error) })
    socket.destroy()
  }
  record(status, bodyBytes, headers.get('x-cache'))
}
