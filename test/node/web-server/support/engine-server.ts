import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PageCache } from '#edge-cache/index.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import { normalizeTarget } from '#handlers/sites/paths/request-path.ts'
import type { SiteContext, SiteHandler } from '#handlers/sites/site-context.ts'
import { createVirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import { createCompressor } from '#adapters/node/web-server/cache/compress/compress.ts'
import { FastResponses } from '#adapters/node/web-server/http1/fast/fast-responses.ts'
import { createFastPath } from '#adapters/node/web-server/http1/fast/fast-path.ts'
import { HttpClock } from '#adapters/node/web-server/http1/http-clock.ts'
import {
  createHttp1Engine,
  type Http1Engine,
} from '#adapters/node/web-server/http1/http1-engine.ts'
import { AccessLog } from '#adapters/node/web-server/log/access-log.ts'
import { LogBuffer } from '#adapters/node/web-server/log/log-buffer.ts'
import { createMemoryPageCache } from '#test/support/setups/memory-page-cache.ts'
import { virtualHost } from '#test/support/setups/virtual-hosts.ts'

export interface EngineServer {
  port: number
  engine: Http1Engine
  cache: PageCache
  hosts: Map<string, VirtualHostConfig>
  errors: string[]
  /** What has been logged so far. */
  accessLog(): Promise<string>
  close(): Promise<void>
}

export const hostConfig = (
  domain: string,
  change: Partial<VirtualHostConfig> = {},
): VirtualHostConfig =>
  virtualHost(domain, {
    index: ['index.html'],
    php: { enable: false, version: null, mode: 'fpm', socket: null },
    ...change,
  })

/** The engine on a real port, with a page cache in front of `origin`. */
export const startEngine = async (
  origin: SiteHandler,
  options: {
    times?: { keepAliveMs?: number; headMs?: number; stallMs?: number }
    requestMs?: number
    maxBodyBytes?: number
    maxHeadBytes?: number
    hosts?: VirtualHostConfig[]
  } = {},
): Promise<EngineServer> => {
  const directory = mkdtempSync(join(tmpdir(), 'berth-engine-'))
  const file = join(directory, 'access.log')
  const errors: string[] = []
  const log: Log = {
    info: () => undefined,
    warn: () => undefined,
    error: (message, fields) => errors.push(`${message} ${JSON.stringify(fields)}`),
  }
  const hosts = new Map<string, VirtualHostConfig>()
  for (const host of options.hosts ?? [hostConfig('a.test')]) hosts.set(host.domain, host)
  const cache = createMemoryPageCache({ defaultTtlSecs: 60, encoder: createCompressor(log) })
  const table = () => createVirtualHostTable([...hosts.values()])
  const answer: SiteHandler = (request, context: SiteContext) => {
    const host = new URL(request.url).hostname
    const vhost = hosts.get(host)
    const target = normalizeTarget(context.rawTarget)
    if (vhost === undefined || target === null) return origin(request, context)
    return cache.handle(
      request,
      {
        host,
        primaryDomain: vhost.domain,
        rule: vhost.cache,
        secure: context.secure,
        path: target.path,
        schemeMatters: false,
      },
      (inner) => origin(inner, context),
    )
  }
  const site: SiteHandler = async (request, context) => {
    const { body, status, statusText, headers } = await answer(request, context)
    const named = new Headers(headers)
    named.set('server', 'Berth')
    return new Response(body, { status, statusText, headers: named })
  }
  const clock = new HttpClock()
  const buffer = new LogBuffer(file, (error) => errors.push(error.message), { flushMs: 20 })
  const engine = await createHttp1Engine({
    site,
    fast: createFastPath({ hosts: table, cache, mobileVariant: false }),
    answers: new FastResponses(clock, 2 ** 22),
    files: null,
    limits: { passes: () => true },
    nothing: null,
    cpu: null,
    normalizePath: (raw) => normalizeTarget(raw)?.path ?? null,
    clock,
    accessLog: new AccessLog(clock, buffer),
    log,
    times: {
      keepAliveMs: options.times?.keepAliveMs ?? 5000,
      headMs: options.times?.headMs ?? 5000,
      stallMs: options.times?.stallMs ?? 5000,
    },
    requestMs: options.requestMs ?? 5000,
    maxBodyBytes: options.maxBodyBytes ?? 0,
    maxHeadBytes: options.maxHeadBytes ?? 16_384,
  })
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    engine.serve(socket, false),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    engine,
    cache,
    hosts,
    errors,
    accessLog: () => {
      buffer.flushSync()
      return Promise.resolve(readFileSync(file, 'latin1'))
    },
    close: async () => {
      server.close()
      engine.destroy()
      await buffer.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
