import { describe, expect, it } from 'vitest'
import { HotAnswers } from '#adapters/node/web-server/http1/hot-answers.ts'
import { HttpClock } from '#adapters/node/web-server/http1/http-clock.ts'
import type { CacheEntry } from '#edge-cache/types.ts'

const entryOf = (name: string, sizeBytes: number): CacheEntry => ({
  key: { host: 'a.test', path: `/${name}`, id: `//a.test/${name}` },
  status: 200,
  headers: [
    ['content-type', 'text/html'],
    ['etag', `"${name}"`],
    ['x-own', name],
  ],
  body: new Uint8Array(sizeBytes).fill(name.charCodeAt(0)),
  tags: [],
  storedAtMs: Date.now() - 5000,
  expiresAtMs: Date.now() + 60_000,
  sequence: 0,
  etag: `"${name}"`,
  lastModified: null,
  revalidateSecs: null,
  coding: null,
  encodings: null,
})

const whole = ({ bytes, rest }: { bytes: Buffer; rest: Uint8Array | null }): string =>
  Buffer.concat([bytes, rest ?? new Uint8Array()]).toString('latin1')

describe('hot answers', () => {
  it.each([10, 20_000, 70_000])('says the same the first time and later, %i bytes', (size) => {
    const answers = new HotAnswers(new HttpClock(), 2 ** 20)
    const entry = entryOf('x', size)
    for (const kind of ['get', 'head', 'not-modified'] as const) {
      const first = whole(answers.get(entry, kind))
      expect(first).toMatch(/^HTTP\/1\.1 (?:200 OK|304 Not Modified)\r\n/)
      expect(first).toContain('\r\nage: 5\r\nx-cache: HIT\r\ncache-status: berth; hit; ttl=')
      expect(first.includes('x-own: x\r\n')).toBe(kind !== 'not-modified')
      expect(first.includes(`content-length: ${size}\r\n`)).toBe(kind !== 'not-modified')
      expect(first.endsWith('x'.repeat(size))).toBe(kind === 'get')
      for (let again = 0; again < 20; again++) expect(whole(answers.get(entry, kind))).toBe(first)
    }
  })

  it('never changes what was not given back', () => {
    const answers = new HotAnswers(new HttpClock(), 2 ** 20)
    const held = Array.from({ length: 2000 }, (_, at) => {
      const answer = answers.get(entryOf(String.fromCharCode(97 + (at % 26)), 1000), 'get')
      const text = whole(answer)
      if (at % 3 === 0) answers.written(answer)
      return { answer, text, given: at % 3 === 0 }
    })
    for (const { answer, text, given } of held) if (!given) expect(whole(answer)).toBe(text)
  })

  it('uses the same room again for what was given back', () => {
    const answers = new HotAnswers(new HttpClock(), 2 ** 20)
    const first = answers.get(entryOf('a', 1000), 'get')
    answers.written(first)
    const second = answers.get(entryOf('b', 1000), 'get')
    expect(second.bytes.buffer).toBe(first.bytes.buffer)
    expect(second.bytes.byteOffset).toBe(first.bytes.byteOffset)
  })

  it('keeps what is asked for often, and gives back nothing of it', () => {
    const answers = new HotAnswers(new HttpClock(), 2 ** 20)
    const entry = entryOf('a', 1000)
    for (let i = 0; i < 10; i++) answers.written(answers.get(entry, 'get'))
    const kept = answers.get(entry, 'get')
    const text = whole(kept)
    answers.written(kept)
    for (let i = 0; i < 50; i++) answers.get(entryOf('b', 1000), 'get')
    expect(whole(kept)).toBe(text)
    expect(answers.get(entry, 'get')).toBe(kept)
  })
})
