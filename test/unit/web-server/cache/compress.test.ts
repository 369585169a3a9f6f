import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createCompressor } from '#adapters/node/web-server/cache/compress/compress.ts'

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined }
const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text))

describe('compressor', () => {
  it.each([1, 1024, 48_000, 3_000_000])('gives back %i bytes of text, smaller', async (size) => {
    const text = 'Grüße an alle, die dies lesen. '.repeat(size / 30 + 1).slice(0, size)
    const compressor = createCompressor(quiet)
    const gzip = (await compressor.encode(bytes(text), 'gzip')) ?? bytes('')
    const brotli = (await compressor.encode(bytes(text), 'br')) ?? bytes('')
    expect(gunzipSync(gzip).toString()).toBe(text)
    expect(brotliDecompressSync(brotli).toString()).toBe(text)
    if (size >= 1024) expect(gzip.byteLength + brotli.byteLength).toBeLessThan(size)
    // Nothing larger hangs on them than what they are.
    expect(gzip.buffer.byteLength).toBe(gzip.byteLength)
    expect(brotli.buffer.byteLength).toBe(brotli.byteLength)
  })

  it('gives the same bytes each time, so that all workers do', async () => {
    const body = bytes('<p>page</p>'.repeat(500))
    for (const coding of ['gzip', 'br'] as const) {
      const [one, other] = await Promise.all([
        createCompressor(quiet).encode(body, coding),
        createCompressor(quiet).encode(body, coding),
      ])
      expect(one).toEqual(other)
    }
  })

  it('is busy while the event loop is, and not when it rests', async () => {
    const compressor = createCompressor(quiet)
    const until = performance.now() + 300
    while (performance.now() < until);
    expect(compressor.isBusy?.()).toBe(true)
    // Asked twice within a measurement it repeats itself.
    await expect.poll(() => compressor.isBusy?.(), { interval: 250 }).toBe(false)
  })

  it('sends no more than the body, however much lies beside it', async () => {
    const slab = new Uint8Array(2 ** 20).fill(65)
    const body = slab.subarray(100, 3100)
    const made = (await createCompressor(quiet).encode(body, 'gzip')) ?? bytes('')
    expect(gunzipSync(made)).toEqual(Buffer.from(body))
    // Still ours: it was not handed over.
    expect(slab.byteLength).toBe(2 ** 20)
  })
})
