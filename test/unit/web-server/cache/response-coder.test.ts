import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createResponseCoder } from '#adapters/node/web-server/coding/response-coder.ts'
import { codedStream } from '#adapters/node/web-server/coding/coded-stream.ts'
import { QuickHeaders } from '#adapters/node/messages/quick-headers.ts'
import { QuickResponse } from '#adapters/node/messages/quick-response.ts'

const WORDS = 'words that repeat themselves '.repeat(100)
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const html = (fields: Record<string, string> = {}): QuickHeaders =>
  new QuickHeaders(Object.entries({ 'content-type': 'text/html', ...fields }))
const dress = (headers: Headers, sizeBytes: number | null): void => {
  headers.set('content-encoding', 'coded')
  headers.set('x-size', String(sizeBytes))
}

/** A body that gives what it is told to, when it is told to. */
const told = () => {
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | null = null
  let cancelled: unknown = null
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (own) => void (controller = own),
    cancel: (reason) => void (cancelled = reason ?? 'cancelled'),
  })
  return {
    body,
    give: (text: string) => controller?.enqueue(bytes(text)),
    close: () => controller?.close(),
    fail: () => controller?.error(new Error('broken')),
    cancelled: () => cancelled,
  }
}
const all = async (body: ReadableStream<Uint8Array> | null): Promise<Buffer> =>
  Buffer.from(await new Response(body).arrayBuffer())

describe('a body in a coding', () => {
  it.each(['gzip', 'br'] as const)('is the same body, however it came: %s', async (coding) => {
    const decode = coding === 'gzip' ? gunzipSync : brotliDecompressSync
    for (const pieces of [[], [''], [WORDS], [...WORDS], ['', WORDS.repeat(2000), 'end']]) {
      const origin = told()
      for (const piece of pieces) origin.give(piece)
      origin.close()
      let done = 0
      const made = await all(codedStream(origin.body, coding, () => done++))
      expect(decode(made).toString()).toBe(pieces.join(''))
      expect(done).toBe(1)
    }
  })

  it('goes out when its origin pauses', async () => {
    const origin = told()
    const reader = codedStream(origin.body, 'gzip', () => undefined).getReader()
    for (const piece of ['one', 'two', 'three']) {
      origin.give(piece)
      const { value } = await reader.read()
      expect(value?.byteLength).toBeGreaterThan(0)
    }
    await reader.cancel()
  })

  it('fails as its origin does, behind what came before, and lets go', async () => {
    const origin = told()
    let done = 0
    const reader = codedStream(origin.body, 'br', () => done++).getReader()
    const first = reader.read()
    origin.give(WORDS)
    expect((await first).value?.byteLength).toBeGreaterThan(0)
    origin.fail()
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow('broken')
    expect(done).toBe(1)
  })

  it('lets go of its origin when nobody reads any more, also in the middle of a wait', async () => {
    const origin = told()
    let done = 0
    const reader = codedStream(origin.body, 'gzip', () => done++).getReader()
    const waiting = reader.read().catch(() => undefined)
    await reader.cancel('gone')
    await waiting
    expect([origin.cancelled(), done]).toEqual(['gone', 1])
  })
})

describe('answers in codings', () => {
  it('are smaller, or as they were', async () => {
    const coder = createResponseCoder()
    const give = (body: Uint8Array<ArrayBuffer>) =>
      coder.code(new QuickResponse(body, 200, html()), 'gzip', dress, 'a.test')
    for (const text of [WORDS, WORDS.repeat(50)]) {
      const made = await give(bytes(text))
      expect(gunzipSync(await all(made?.body ?? null)).toString()).toBe(text)
      expect(made?.headers.get('content-encoding')).toBe('coded')
    }
    const noise = crypto.getRandomValues(new Uint8Array(3000))
    expect(await give(noise)).toBeNull()
  })

  it('leave fields that answers share as they were', async () => {
    const shared = Object.entries({ 'content-type': 'text/html' }) as [string, string][]
    const response = new QuickResponse(bytes(WORDS), 200, new QuickHeaders(shared))
    await createResponseCoder().code(response, 'br', dress, 'a.test')
    expect(shared).toEqual([['content-type', 'text/html']])
  })

  it('are streams so many at a time, fewer of one site, and none that are too long', async () => {
    const coder = createResponseCoder({ streams: 8 })
    const ask = async (site: string, fields: Record<string, string> = {}) => {
      const { body } = told()
      return coder.code(new QuickResponse(body, 200, html(fields)), 'gzip', dress, site)
    }
    expect(await ask('a.test', { 'content-length': String(2 ** 30) })).toBeNull()
    const open = [await ask('a.test'), await ask('a.test')]
    expect(await ask('a.test')).toBeNull()
    for (const site of ['b.test', 'b.test', 'c.test', 'c.test', 'd.test', 'd.test'])
      open.push(await ask(site))
    expect(open).not.toContain(null)
    expect(await ask('e.test')).toBeNull()
    await open[0]?.body?.cancel()
    expect(await ask('e.test')).not.toBeNull()
    for (const one of open.slice(1)) await one?.body?.cancel()
    expect(await ask('a.test')).not.toBeNull()
  })
})
