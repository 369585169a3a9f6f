import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import {
  Miniflare,
  Response as MiniflareResponse,
  type Request as MiniflareRequest,
} from 'miniflare'
import { bundleWorker } from '../bundle-worker.ts'

const EDGE = fileURLToPath(new URL('../../../adapters/worker/edge/index.ts', import.meta.url))

export const MANAGEMENT_HOST = 'manage.test'
export const MANAGEMENT_TOKEN = 'a-management-token-for-tests'

/** What an origin answers; `request` is what reached it. */
export type EdgeOrigin = (request: Request) => Response | Promise<Response>

export interface EdgeOptions {
  /** The variables `SITE_…` and `CACHE`. */
  variables?: Record<string, unknown>
  /** Files of the assets, by path. */
  files?: Record<string, string | Uint8Array>
  /** Workers over the same Durable Object, each in an isolate of its own. Default 1. */
  isolates?: number
  /** Default: the Worker as it is deployed. */
  entry?: string
  managementToken?: string | null
  /** Whether origins are reached over the network, instead of `EdgeInstance.origin`. */
  isOriginReal?: boolean
}

export interface AskOptions {
  method?: string
  headers?: Record<string, string>
  body?: string | Uint8Array | ReadableStream<Uint8Array>
  /** Which of the isolates. Default 0. */
  isolate?: number
}

/** The Worker in workerd, before an origin that the test scripts. */
export interface EdgeInstance {
  origin: EdgeOrigin
  /** Requests that reached origins, in order. */
  seen: Request[]
  ask(url: string, options?: AskOptions): Promise<Response>
  /** The management API. */
  manage(
    path: string,
    options?: AskOptions & { token?: string | null },
  ): Promise<{ status: number; body: Record<string, unknown> }>
  /** Body and `X-Cache` of a GET. */
  get(url: string, options?: AskOptions): Promise<{ body: string; xCache: string | null }>
  /** Address of workerd itself, for what no client sends. */
  address(): Promise<URL>
  close(): Promise<void>
}

export const html = (body: BodyInit | null, headers: Record<string, string> = {}): Response =>
  new Response(body, { headers: { 'content-type': 'text/html; charset=utf-8', ...headers } })

const NO_BODY = new Set([204, 205, 304])

/** Miniflare's own classes are others than Node's. */
const asRequest = (request: MiniflareRequest): Request =>
  new Request(request.url, {
    method: request.method,
    headers: [...request.headers],
    ...(request.body === null ? {} : { body: request.body as never, duplex: 'half' }),
  })
const asAnswer = async (response: Response): Promise<MiniflareResponse> =>
  new MiniflareResponse(NO_BODY.has(response.status) ? null : (response.body as never), {
    status: response.status,
    headers: [...response.headers],
  })

const PAGES_OF_SHOP = {
  domain: 'shop.test',
  aliases: ['www.shop.test'],
  origin: 'http://origin.test',
}

/** Starts workerd with the Worker as it is deployed. */
export const startEdge = async (options: EdgeOptions = {}): Promise<EdgeInstance> => {
  const { variables = { SITE_SHOP: PAGES_OF_SHOP }, files = {}, isolates = 1 } = options
  const directory = mkdtempSync(join(tmpdir(), 'berth-edge-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  const seen: Request[] = []
  const reach = async (request: MiniflareRequest): Promise<MiniflareResponse> => {
    const asked = asRequest(request)
    seen.push(asked)
    return asAnswer(await instance.origin(asked))
  }
  const script = await bundleWorker(options.entry ?? EDGE)
  const nameOf = (number: number): string => `edge-${number}`
  const token = options.managementToken === undefined ? MANAGEMENT_TOKEN : options.managementToken
  const miniflare = new Miniflare({
    // What workerd and the Worker say of wrong requests and variables is expected here.
    handleRuntimeStdio(stdout: Readable, stderr: Readable) {
      for (const stream of [stdout, stderr]) stream.resume()
    },
    workers: Array.from({ length: isolates }, (_, number) => ({
      name: nameOf(number),
      modules: true,
      script,
      compatibilityDate: '2026-07-01',
      bindings: {
        ...(variables as Record<string, string>),
        MANAGEMENT_HOST,
        ...(token === null ? {} : { MANAGEMENT_TOKEN: token }),
      },
      durableObjects: {
        MARKS: {
          className: 'PageMarks',
          useSQLite: true,
          ...(number === 0 ? {} : { scriptName: nameOf(0) }),
        },
      },
      serviceBindings: { TUNNEL: reach },
      ...(options.isOriginReal === true ? {} : { outboundService: reach }),
      ...(number === 0 && Object.keys(files).length > 0
        ? {
            assets: {
              directory,
              binding: 'ASSETS',
              routerConfig: { has_user_worker: true, invoke_user_worker_ahead_of_assets: true },
              assetConfig: { html_handling: 'none' as const, not_found_handling: 'none' as const },
            },
          }
        : {}),
    })),
  })
  await miniflare.ready
  const instance: EdgeInstance = {
    origin: () => html('hello'),
    seen,
    async ask(url, { method = 'GET', headers = {}, body, isolate = 0 } = {}) {
      const init = {
        ...{ method, headers: { 'cf-connecting-ip': '203.0.113.7', ...headers } },
        redirect: 'manual' as const,
        ...(body === undefined ? {} : { body: body as never, duplex: 'half' as const }),
      }
      const response =
        isolate === 0
          ? await miniflare.dispatchFetch(url, init)
          : await (await miniflare.getWorker(nameOf(isolate))).fetch(url, init as never)
      const text = method === 'HEAD' ? null : await response.arrayBuffer()
      return new Response(NO_BODY.has(response.status) ? null : text, {
        status: response.status,
        headers: [...(response.headers as unknown as Headers)],
      })
    },
    async manage(path, { token: given = MANAGEMENT_TOKEN, headers = {}, ...rest } = {}) {
      const response = await instance.ask(`https://${MANAGEMENT_HOST}${path}`, {
        ...rest,
        headers: { ...headers, ...(given === null ? {} : { authorization: `Bearer ${given}` }) },
      })
      const text = await response.text()
      const body = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : { text }
      return { status: response.status, body }
    },
    async get(url, over) {
      const response = await instance.ask(url, over)
      return { body: await response.text(), xCache: response.headers.get('x-cache') }
    },
    address: () => miniflare.ready,
    async close() {
      await miniflare.dispose()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  return instance
}
