import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { fail } from '#handlers/envelope.ts'
import { AppError } from '#handlers/errors.ts'
import type { PanelApp } from '#handlers/panel/deps.ts'
import type { Log } from '#handlers/ports/log.ts'
import { toRequest } from './to-request.ts'
import { writeResponse } from './write-response.ts'

export interface LocalServer {
  /** Takes no new connection, lets running requests finish for up to `graceMs`. */
  close(graceMs: number): Promise<void>
}

/** What the audit log has as address. */
const ADDRESS = 'local'

const urlOf = ({ url = '' }: IncomingMessage): URL => {
  // Names and schemes mean nothing on a socket; only a path is taken.
  if (!url.startsWith('/') || !URL.canParse(`http://localhost${url}`))
    throw new AppError(400, 'The request line is malformed.')
  return new URL(`http://localhost${url}`)
}

/**
 * The API on a unix socket that only the machine's administrator can open; the
 * supervisor made it so. Whoever connects is root@local and needs no token.
 */
export const startLocalServer = async (options: {
  app: PanelApp
  /** A bound unix socket. */
  fd: number
  log: Log
}): Promise<LocalServer> => {
  const { app, fd, log } = options
  const logFault = (error: unknown): void =>
    log.error('local request failed', { error: String(error) })

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const aborted = new AbortController()
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) aborted.abort()
    })
    let response: Response
    try {
      const request = toRequest(incoming, urlOf(incoming), aborted.signal)
      response = await app(request, { clientAddress: ADDRESS, secure: true, local: true })
    } catch (error) {
      response = fail(error, logFault)
    }
    await writeResponse(response, incoming, outgoing)
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => {
      if (!incoming.socket.destroyed) logFault(error)
      outgoing.destroy()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ fd }, resolve)
  })
  return {
    close: (graceMs) =>
      new Promise((resolve) => {
        const force = setTimeout(() => server.closeAllConnections(), graceMs)
        server.close(() => {
          clearTimeout(force)
          resolve()
        })
        server.closeIdleConnections()
      }),
  }
}
