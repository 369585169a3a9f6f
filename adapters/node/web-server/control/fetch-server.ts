import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Log } from '#handlers/ports/log.ts'
import { hasBody, requestBody } from '../http1/slow/request-body.ts'
import { headersOfMessage } from '../http1/general/node-request.ts'
import { writeNodeResponse } from '../http1/general/node-response.ts'

const MAX_BODY_BYTES = 1_048_576
const ignore = (): void => undefined

const answer = async (
  message: IncomingMessage,
  out: ServerResponse,
  handler: (request: Request) => Promise<Response>,
  log: Log,
): Promise<void> => {
  const method = message.method ?? 'GET'
  out.on('error', () => undefined)
  try {
    const target = message.url ?? '/'
    const url = `http://localhost${target.startsWith('/') ? target : '/'}`
    const body = hasBody(message) && method !== 'GET' && method !== 'HEAD'
    const response = await handler(
      new Request(url, {
        method,
        headers: headersOfMessage(message),
        ...(body
          ? { body: requestBody(message, MAX_BODY_BYTES, ignore, ignore), duplex: 'half' }
          : {}),
      }),
    )
    const close = hasBody(message) && !message.complete
    const httpDate = new Date().toUTCString()
    await writeNodeResponse(out, response, { method, httpDate, close })
    if (close) message.resume()
  } catch (error) {
    log.error('a control request failed', { target: message.url, error: String(error) })
    if (out.headersSent) message.socket.destroy()
    else
      out.writeHead(500, { 'content-type': 'text/plain' }).end('The cause is in the error log.\n')
  }
}

/** An HTTP server of our own processes' kind: small bodies, few clients, one fetch handler. */
export const createFetchServer = (
  handler: (request: Request) => Promise<Response>,
  log: Log,
): Server =>
  createServer({ requestTimeout: 30_000, keepAliveTimeout: 5_000 }, (message, out) => {
    void answer(message, out, handler, log)
  })
