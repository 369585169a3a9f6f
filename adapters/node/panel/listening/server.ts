import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { fail } from '#handlers/envelope.ts'
import type { PanelApp } from '#handlers/panel/deps.ts'
import type { Log } from '#handlers/ports/log.ts'
import { isApiPath } from '#adapters/shared/panel-http/api-path.ts'
import { clientOf, type Client } from './client-of.ts'
import type { KitHandler } from './kit-handler.ts'
import type { PanelCertificate } from './panel-certificate.ts'
import { API_HEADERS, securityHeaders } from '#adapters/shared/panel-http/security-headers.ts'
import { SLOW_CLIENT_LIMITS, watchClient } from './slow-client.ts'
import type { SlowClientLimits } from './slow-client.ts'
import { createPlainFront, createTlsFront } from './tls-front.ts'
import type { Front } from './tls-front.ts'
import { requestUrl, toRequest } from './to-request.ts'
import { writeResponse } from './write-response.ts'

/** A descriptor that was opened outside, or an address to bind. */
export type PanelListen = { fd: number } | { host: string; port: number; ipv6Only?: boolean }

export interface PanelServerOptions {
  app: PanelApp
  kit: KitHandler
  listen: readonly PanelListen[]
  /** CIDR blocks whose forwarding headers count. */
  trustedProxies: readonly string[]
  /** Https is served with it, and http leads there. Default: http alone. */
  certificate?: PanelCertificate | null
  /** Default: those of the module. */
  slowClients?: SlowClientLimits
  log: Log
}

export interface PanelServer {
  /** Ports in the order of `listen`. */
  ports: number[]
  /** Takes no new connection, lets running requests finish for up to `graceMs`. */
  close(graceMs: number): Promise<void>
}

const HTTP_OPTIONS = {
  headersTimeout: 15_000,
  // Of the whole request; `watchClient` takes its place, for uploads take their time.
  requestTimeout: 0,
  keepAliveTimeout: 30_000,
  maxHeaderSize: 16_384,
  connectionsCheckingInterval: 5000,
}

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)

const setHeaders = (outgoing: ServerResponse, headers: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value)
}

/** Port 7070: `/api` goes to the panel application, everything else to the UI. */
export const startPanelServer = async (options: PanelServerOptions): Promise<PanelServer> => {
  const { app, kit, trustedProxies, log } = options
  const logFault = (error: unknown) => log.error('request failed', { error: describe(error) })

  /** Answers without an end of their own, which a stop does not wait for. */
  const streams = new Set<ServerResponse>()

  const serveApi = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    client: Client,
    url: URL,
  ): Promise<void> => {
    setHeaders(outgoing, API_HEADERS)
    const aborted = new AbortController()
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) aborted.abort()
    })
    let response: Response
    try {
      const request = toRequest(incoming, url, aborted.signal)
      response = await app(request, { clientAddress: client.address, secure: client.secure })
    } catch (error) {
      response = fail(error, logFault)
    }
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
      streams.add(outgoing)
      outgoing.once('close', () => streams.delete(outgoing))
    }
    await writeResponse(response, incoming, outgoing)
  }

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const client = clientOf(incoming, trustedProxies)
    setHeaders(outgoing, securityHeaders(client.secure))
    let url: URL
    try {
      url = requestUrl(incoming, client.secure)
    } catch (error) {
      setHeaders(outgoing, API_HEADERS)
      await writeResponse(fail(error, logFault), incoming, outgoing)
      return
    }
    // The target as sent counts too: parsing has already resolved its dot segments.
    const rawPath = (incoming.url ?? '').split('?')[0] ?? ''
    if (isApiPath(url.pathname) || isApiPath(rawPath)) {
      await serveApi(incoming, outgoing, client, url)
      return
    }
    kit(incoming, outgoing, client)
  }

  const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    watchClient(incoming, outgoing, options.slowClients ?? SLOW_CLIENT_LIMITS)
    serve(incoming, outgoing).catch((error: unknown) => {
      // A client that went away is its own business.
      if (!incoming.socket.destroyed) logFault(error)
      outgoing.destroy()
    })
  }
  const { certificate } = options
  const fronts = options.listen.map(() =>
    certificate
      ? createTlsFront(HTTP_OPTIONS, answer, certificate)
      : createPlainFront(HTTP_OPTIONS, answer),
  )
  await Promise.all(
    fronts.map(({ server }, index) => listenOn(server, options.listen[index] ?? { fd: -1 })),
  )
  return {
    ports: fronts.map(({ server }) => (server.address() as AddressInfo | null)?.port ?? 0),
    async close(graceMs) {
      for (const stream of streams) stream.destroy()
      const force = setTimeout(() => fronts.forEach((front) => front.closeAll()), graceMs)
      await Promise.all(fronts.map(closeFront))
      clearTimeout(force)
    },
  }
}

const listenOn = (server: Server, where: PanelListen): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => resolve())
  })

const closeFront = (front: Front): Promise<void> =>
  new Promise((resolve) => {
    front.server.close(() => resolve())
    front.closeIdle()
  })
