import { describe, expect, it } from 'vitest'
import { FastResponses } from '#adapters/node/web-server/http1/fast/fast-responses.ts'
import { HttpClock } from '#adapters/node/web-server/http1/http-clock.ts'
import type { CacheEntry } from '#edge-cache/index.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'

const entryOf = (name: string, sizeBytes: number): CacheEntry =>
  cacheEntry('a.test', `/${name}`, {
    key: { host: 'a.test', path: `/${name}`, id: `//a.test/${name}` },
    headers: [
      ['content-type', 'text/html'],
      ['etag', `"${name}"`],
      ['x-own', name],
    ],
    body: new Uint8Array(sizeBytes).fill(name.charCodeAt(0)),
    tags: [],
    storedAtMs: Date.now() - 5000,
    expiresAtMs: Date.now() + 60_000,
    etag: `"${name}"`,
  })

const whole = ({ bytes, rest }: { bytes: Buffer; rest: Uint8Array | null }): string =>
  Buffer.concat([bytes, rest ?? new Uint8Array()]).toString('latin1')

describe('hot answers', () => {
  it.each([10, 20_000, 70_000])('says the same the first time and later, %i bytes', (size) => {
    const answers = new FastResponses(new HttpClock(), 2 ** 20)
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
    const answers = new FastResponses(new HttpClock(), 2 ** 20)
    const held = Array.from({ length: 2000 }, (_, at) => {
      const answer = answers.get(entryOf(String.fromCharCode(97 + (at % 26)), 1000), 'get')
      const text = whole(answer)
      if (at % 3 === 0) answers.written(answer)
      return { answer, text, given: at % 3 === 0 }
    })
    for (const { answer, text, given } of held) if (!given) expect(whole(answer)).toBe(text)
  })

  it('uses the same room again for what was given back', () => {
    const answers = new FastResponses(new HttpClock(), 2 ** 20)
    const first = answers.get(entryOf('a', 1000), 'get')
    answers.written(first)
    const second = answers.get(entryOf('b', 1000), 'get')
    expect(second.bytes.buffer).toBe(first.bytes.buffer)
    expect(second.bytes.byteOffset).toBe(first.bytes.byteOffset)
  })

  it('keeps what is asked for often, and gives back nothing of it', () => {
    const answers = new FastResponses(new HttpClock(), 2 ** 20)
    const entry = entryOf('a', 1000)
    for (let i = 0; i < 10; i++) answers.written(answers.get(entry, 'get'))
    const kept = answers.get(entry, 'get')
    const text = whole(kept)
    answers.written(kept)
    for (let i = 0; i < 50; i++) answers.get(entryOf('b', 1000), 'get')
    expect(whole(kept)).toBe(text)
    expect(answers.get(entry, 'get')).toBe(kept)
  })

  it('says of each page what is its own, also where lists of fields are shared', () => {
    const clock = new HttpClock()
    const answers = new FastResponses(clock, 2 ** 20)
    const shared = entryOf('s', 0).headers
    const pages = Array.from({ length: 500 }, (_, at) => {
      const page = { ...entryOf('p', at), storedAtMs: clock.nowMs - at * 9000 }
      return at % 2 === 0 ? { ...page, headers: shared } : page
    })
    for (const page of pages) {
      const text = whole(answers.get(page, 'get'))
      expect(text).toContain(`content-length: ${page.body.byteLength}\r\n`)
      expect(text).toContain(page.headers === shared ? 'x-own: s\r\n' : 'x-own: p\r\n')
      const storedSecond = Math.floor(page.storedAtMs / 1000)
      expect(text).toContain(`\r\nage: ${clock.second - storedSecond}\r\n`)
      expect(text.split('\r\n\r\n')[1]).toBe('p'.repeat(page.body.byteLength))
    }
  })

  it('gives an entry in the place of another its own bytes', () => {
    const answers = new FastResponses(new HttpClock(), 2 ** 20)
    const one = entryOf('a', 1000)
    const other = { ...one, body: new Uint8Array(1000).fill(98) }
    for (let asked = 0; asked < 50; asked++) {
      expect(whole(answers.get(one, 'get')).endsWith('a'.repeat(1000))).toBe(true)
      expect(whole(answers.get(other, 'get')).endsWith('b'.repeat(1000))).toBe(true)
    }
  })
})
