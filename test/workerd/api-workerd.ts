import type { Request as MiniflareRequest } from 'miniflare'
import { Miniflare, Response as MiniflareResponse } from 'miniflare'
import { createHostHandler } from '#adapters/shared/host-rpc/host-handler.ts'
import type { ApiInstance } from '#test/contract/frame/api-instance.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'
import { bundleWorker } from './bundle-worker.ts'

/** The Worker in workerd with a fresh D1; the fake host answers behind the service binding. */
export const makeWorkerdApi = async (): Promise<ApiInstance> => {
  const host = createFakeHost()
  const handle = createHostHandler(host.ports, createRecordingLog())
  const miniflare = new Miniflare({
    modules: true,
    script: await bundleWorker(),
    compatibilityDate: '2026-07-01',
    bindings: { JWT_SECRET: 'a secret for tests that is long enough' },
    d1Databases: { DB: crypto.randomUUID() },
    serviceBindings: {
      HOST: async (request: MiniflareRequest) => {
        const response = await handle(
          new Request(request.url, { method: request.method, body: await request.text() }),
        )
        return new MiniflareResponse(await response.text(), { status: response.status })
      },
    },
  })
  await miniflare.ready
  return {
    host,
    async fetch(
      path,
      init = {},
      clientAddress = '192.0.2.1',
      origin = 'http://panel.example:7070',
    ) {
      const headers = new Headers(init.headers)
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
    close: () => miniflare.dispose(),
  }
}
