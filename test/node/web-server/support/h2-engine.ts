import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import type { CacheEntry } from '#edge-cache/index.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { SiteHandler } from '#handlers/sites/site-context.ts'
import { createVirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import { FastResponses } from '#adapters/node/web-server/http1/fast/fast-responses.ts'
import { HttpClock } from '#adapters/node/web-server/http1/http-clock.ts'
import type { Http1Engine } from '#adapters/node/web-server/http1/http1-engine.ts'
import { AccessLog } from '#adapters/node/web-server/log/access-log.ts'
import { LogBuffer } from '#adapters/node/web-server/log/log-buffer.ts'
import { createSiteEngine } from '#adapters/node/web-server/site-engine.ts'
import { createSelfSigned } from '#adapters/node/tls/self-signed.ts'
import { hostConfig } from './engine-server.ts'

export interface H2Engine {
  port: number
  engine: Http1Engine
  errors: string[]
  /** What has been logged so far. */
  accessLog(): Promise<string>
  close(): Promise<void>
}

/** The engine behind TLS on a real port; what is not among `pages` goes the slow path to `site`. */
export const startH2Engine = async (
  site: SiteHandler,
  options: {
    times?: { keepAliveMs?: number; headMs?: number; stallMs?: number }
    requestMs?: number
    maxBodyBytes?: number
    maxHeadBytes?: number
    hosts?: VirtualHostConfig[]
    /** Pages that are ready, by path; default none. */
    pages?: (path: string) => CacheEntry | null
  } = {},
): Promise<H2Engine> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-h2-'))
  const file = join(directory, 'access.log')
  const errors: string[] = []
  const log: Log = {
    info: () => undefined,
    warn: () => undefined,
    error: (message, fields) => errors.push(`${message} ${JSON.stringify(fields)}`),
  }
  const table = createVirtualHostTable(options.hosts ?? [hostConfig('a.test')])
  const clock = new HttpClock()
  const buffer = new LogBuffer(file, (error) => errors.push(error.message), { flushMs: 20 })
  const engine = await createSiteEngine({
    site,
    hosts: () => table,
    fast: { find: (_request, path) => options.pages?.(path) ?? null },
    answers: new FastResponses(clock, 2 ** 20),
    files: null,
    limits: { passes: () => true },
    nothing: null,
    cpu: null,
    normalizePath: () => null,
    clock,
    accessLog: new AccessLog(clock, buffer),
    log,
    times: { keepAliveMs: 5000, headMs: 5000, stallMs: 5000, ...options.times },
    requestMs: options.requestMs ?? 5000,
    maxBodyBytes: options.maxBodyBytes ?? 0,
    maxHeadBytes: options.maxHeadBytes ?? 16_384,
  })
  const server = createServer(
    { ...createSelfSigned('a.test'), ALPNProtocols: ['h2', 'http/1.1'], allowHalfOpen: true },
    (socket) => engine.serve(socket, true),
  )
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    engine,
    errors,
    accessLog: async () => {
      await new Promise((resolve) => setTimeout(resolve, 60))
      return readFileSync(file, 'utf8')
    },
    close: async () => {
      engine.destroy()
      await new Promise((resolve) => server.close(resolve))
      await buffer.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
