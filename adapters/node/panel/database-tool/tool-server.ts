import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'
import type { PanelConfig } from '#handlers/domain/config/config-types.ts'
import { unavailable } from '#handlers/errors.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { DatabaseToolDoor } from '#handlers/services/databases/tool.ts'
import { clientOf } from '../listening/client-of.ts'
import type { PanelCertificate } from '../listening/panel-certificate.ts'
import { SLOW_CLIENT_LIMITS, watchClient } from '../listening/slow-client.ts'
import { createPlainFront, createTlsFront } from '../listening/tls-front.ts'
import type { Front } from '../listening/tls-front.ts'
import { requestUrl, toRequest } from '../listening/to-request.ts'
import { writeResponse } from '../listening/write-response.ts'
import { createToolApp } from './tool-app.ts'
import { plainPage } from './tool-response.ts'

/** The listener of the web tool for databases: an origin of its own. It opens when the first database is opened. */
export interface ToolServer {
  /** Where the tool is, for a browser that sees the panel at `ownOrigin`; 503 where its port is taken. */
  origin(ownOrigin: string): Promise<string>
  /** Whom it asks; before the first `origin`. */
  serve(door: DatabaseToolDoor): void
  close(): Promise<void>
}

const HTTP_OPTIONS = {
  headersTimeout: 15_000,
  requestTimeout: 0,
  keepAliveTimeout: 10_000,
  maxHeaderSize: 16_384,
}

/** Null where `[panel] database_tool_port` is 0. */
export const createToolServer = (options: {
  panel: Pick<PanelConfig, 'listen' | 'database_tool_port' | 'trusted_proxies'>
  certificate: PanelCertificate | null
  log: Log
}): ToolServer | null => {
  const { panel, certificate, log } = options
  const port = panel.database_tool_port
  if (port === 0) return null
  let app: ReturnType<typeof createToolApp> | null = null
  let opened: Promise<Front[]> | null = null

  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const client = clientOf(incoming, panel.trusted_proxies)
    const aborted = new AbortController()
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) aborted.abort()
    })
    let response: Response
    try {
      const request = toRequest(incoming, requestUrl(incoming, client.secure), aborted.signal)
      response = app === null ? plainPage(503, 'Berth') : await app(request, client)
    } catch (error) {
      if (!aborted.signal.aborted)
        log.error('a request of the database tool failed', { error: String(error) })
      response = plainPage(502, 'The database tool does not answer. The panel log says why.')
    }
    await writeResponse(response, incoming, outgoing)
  }
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    watchClient(incoming, outgoing, SLOW_CLIENT_LIMITS)
    serve(incoming, outgoing).catch(() => outgoing.destroy())
  }
  const listen = async (host: string, isIpv6: boolean): Promise<Front> => {
    const front = certificate
      ? createTlsFront(HTTP_OPTIONS, answer, certificate)
      : createPlainFront(HTTP_OPTIONS, answer)
    await new Promise<void>((resolve, reject) => {
      front.server.once('error', reject)
      front.server.listen({ host, port, ipv6Only: isIpv6 }, resolve)
    })
    return front
  }
  const open = async (): Promise<Front[]> => {
    const hosts = new Map<string, boolean>()
    for (const entry of panel.listen) {
      const parsed = parseListenAddress(entry)
      if (parsed !== null) hosts.set(parsed.host, parsed.family === 6)
    }
    const fronts: Front[] = []
    try {
      for (const [host, isIpv6] of hosts) fronts.push(await listen(host, isIpv6))
      return fronts
    } catch (error) {
      for (const front of fronts) front.server.close()
      log.error('the port of the database tool could not be opened', { error: String(error) })
      throw unavailable(
        `Port ${port} of the database tool is taken by another program. Choose another one as [panel] database_tool_port.`,
        error,
      )
    }
  }

  return {
    async origin(ownOrigin) {
      opened ??= open()
      try {
        const [first] = await opened
        const url = new URL(ownOrigin)
        url.protocol = certificate === null ? 'http:' : 'https:'
        url.port = String((first?.server.address() as AddressInfo | null)?.port ?? port)
        return url.origin
      } catch (error) {
        opened = null
        throw error
      }
    },
    serve(door) {
      app = createToolApp(door)
    },
    async close() {
      const fronts = (await opened?.catch(() => [])) ?? []
      for (const front of fronts) {
        front.closeAll()
        front.server.close()
      }
    },
  }
}
