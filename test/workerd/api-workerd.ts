import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Request as MiniflareRequest } from 'miniflare'
import { Miniflare, Response as MiniflareResponse } from 'miniflare'
import { createHostHandler } from '#adapters/shared/host-rpc/host-handler.ts'
import type { ApiInstance } from '#test/contract/frame/api-instance.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { asModule } from '../../scripts/edge/bundle-worker.ts'
import { bundleWorker } from './bundle-worker.ts'

/** Panels of one workerd: to start one for each would cost more than all of their requests. */
const SLOTS = 24
const SLOTS_WORKER = fileURLToPath(new URL('worker/panel-slots.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const UI_WORKER = join(ROOT, 'adapters/worker/ui/index.ts')
const JWT_SECRET = 'a secret for tests that is long enough'

type Answer = (request: MiniflareRequest) => Promise<MiniflareResponse>

/** One workerd with a database for each of its panels, and who answers as their hosts. */
interface Runtime {
  miniflare: Miniflare
  hosts: Map<string, Answer>
  taken: number
}

const runtimes: Runtime[] = []

const slotNames = Array.from({ length: SLOTS }, (_, number) => String(number))

const startRuntime = async (): Promise<Runtime> => {
  const hosts = new Map<string, Answer>()
  const hostOf = (slot: string): Answer => {
    return async (request) => {
      const answer = hosts.get(slot)
      return answer === undefined ? new MiniflareResponse(null, { status: 503 }) : answer(request)
    }
  }
  const miniflare = new Miniflare({
    modules: true,
    script: await bundleWorker(SLOTS_WORKER),
    compatibilityDate: '2026-07-01',
    compatibilityFlags: ['nodejs_als'],
    bindings: { JWT_SECRET },
    d1Databases: Object.fromEntries(slotNames.map((slot) => [`DB_${slot}`, crypto.randomUUID()])),
    serviceBindings: Object.fromEntries(
      slotNames.map((slot) => [`HOST_${slot}`, hostOf(slot)] as const),
    ),
  })
  await miniflare.ready
  const runtime = { miniflare, hosts, taken: 0 }
  runtimes.push(runtime)
  return runtime
}

/** Ends every workerd; whoever made instances calls it behind its tests. */
export const endWorkerd = async (): Promise<void> => {
  for (const { miniflare } of runtimes.splice(0)) await miniflare.dispose()
}

type HostHandler = (request: Request) => Promise<Response>

/** `through`: what stands before the host, such as one that judges signatures. */
const fakeHost = (through: (handle: HostHandler) => HostHandler = (handle) => handle) => {
  const host = createFakeHost()
  const handle = through(createHostHandler(host.ports, createRecordingLog()))
  const answer: Answer = async (request) => {
    const { url, method } = request
    const body = await request.text()
    const response = await handle(new Request(url, { method, body, headers: [...request.headers] }))
    return new MiniflareResponse(await response.text(), { status: response.status })
  }
  return { host, answer }
}

const instanceOf = (
  { host }: Pick<ApiInstance, 'host'>,
  miniflare: Miniflare,
  own: Readonly<Record<string, string>>,
  close: () => Promise<void>,
): ApiInstance => ({
  host,
  async fetch(path, init = {}, clientAddress = '192.0.2.1', origin = 'http://panel.example:7070') {
    const headers = new Headers({ ...Object.fromEntries(new Headers(init.headers)), ...own })
    headers.set('cf-connecting-ip', clientAddress)
    const response = await miniflare.dispatchFetch(`${origin}${path}`, {
      ...init,
      headers: Object.fromEntries(headers),
    } as Parameters<typeof miniflare.dispatchFetch>[1])
    const bodyless = init.method === 'HEAD'
    if (!bodyless && response.headers.get('content-type')?.startsWith('text/event-stream')) {
      const stream = response.body as ReadableStream<Uint8Array<ArrayBuffer>> | null
      return new Response(stream, { status: response.status, headers: [...response.headers] })
    }
    return new Response(bodyless ? null : await response.arrayBuffer(), {
      status: response.status,
      headers: [...response.headers],
    })
  },
  close,
})

/** A panel in workerd with a fresh D1; the fake host answers behind the service binding. */
export const makeWorkerdApi = async (): Promise<ApiInstance> => {
  const last = runtimes.at(-1)
  const runtime = last !== undefined && last.taken < SLOTS ? last : await startRuntime()
  const slot = String(runtime.taken++)
  const { host, answer } = fakeHost()
  runtime.hosts.set(slot, answer)
  return instanceOf({ host }, runtime.miniflare, { 'x-test-slot': slot }, async () => {
    runtime.hosts.delete(slot)
  })
}

/** The Worker as it is deployed, in a workerd of its own. */
export const makeDeployedApi = async (
  options: {
    variables?: Record<string, string>
    through?: (handle: HostHandler) => HostHandler
    isHostBound?: boolean
    /** With the pages, of the build that is there. Default: false. */
    withUi?: boolean
  } = {},
): Promise<ApiInstance & { origin: string }> => {
  const { host, answer } = fakeHost(options.through)
  const miniflare = new Miniflare({
    ...(options.withUi === true
      ? {
          modules: asModule(await bundleWorker(UI_WORKER)),
          assets: {
            directory: join(ROOT, 'build/client'),
            binding: 'ASSETS',
            routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
            assetConfig: { html_handling: 'none', not_found_handling: 'none' },
          },
        }
      : { modules: asModule(await bundleWorker()) }),
    compatibilityDate: '2026-07-01',
    compatibilityFlags: ['nodejs_als'],
    bindings: { JWT_SECRET, ...options.variables },
    d1Databases: { DB: crypto.randomUUID() },
    ...(options.isHostBound === false
      ? { outboundService: answer }
      : { serviceBindings: { HOST: answer } }),
  })
  const { origin } = await miniflare.ready
  return { ...instanceOf({ host }, miniflare, {}, () => miniflare.dispose()), origin }
}
