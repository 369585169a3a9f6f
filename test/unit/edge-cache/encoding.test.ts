import { describe, expect, it } from 'vitest'
import { deserializeEntry, representation, serializeEntry } from '#edge-cache/index.ts'
import { codingOf, isStorableCoding, parseAcceptEncoding } from '#edge-cache/codings/encoding.ts'
import { isWorthEncoding } from '#edge-cache/codings/encoding-worth.ts'
import { cacheEntry } from '#test/contract/cache/page-mode/cache-entries.ts'

const bytes = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text))
const BIG = bytes('x'.repeat(2000))

describe('Accept-Encoding', () => {
  it('reads weights, blanks, names in any case, and takes the first of a repeated coding', () => {
    const accepted = parseAcceptEncoding(' GZIP ; q=0.5 ,br;q=1.000, gzip;q=1, deflate ; x=1; q=0')
    expect(accepted.weight('gzip')).toBe(0.5)
    expect(accepted.weight('br')).toBe(1)
    expect(accepted.weight('deflate')).toBe(0)
    expect(accepted.weight('zstd')).toBe(0)
    expect(accepted.identity).toBeNull()
  })

  it('tells an identity that is not mentioned from a refused one', () => {
    expect(parseAcceptEncoding('gzip, *').identity).toBeNull()
    expect(parseAcceptEncoding('gzip, *;q=0').identity).toBe(0)
    expect(parseAcceptEncoding('identity;q=0.3, *;q=0').identity).toBe(0.3)
    expect(parseAcceptEncoding('*;q=0.4').weight('br')).toBe(0.4)
  })

  it('takes any rubbish', () => {
    for (const field of [null, '', ',', ';', ';q=1', 'gzip;;q', '=;=', 'q=1', '\u0000']) {
      expect(parseAcceptEncoding(field).weight('br')).toBe(0)
    }
    expect(parseAcceptEncoding('gzip;q=-1').weight('gzip')).toBe(0)
    expect(parseAcceptEncoding('gzip;q=1.5').weight('gzip')).toBe(0)
  })

  it('chooses alike however many different fields come', () => {
    const entry = cacheEntry('a.test', '/', {
      body: BIG,
      encodings: [{ coding: 'gzip', body: bytes('g') }],
    })
    for (let i = 0; i < 1200; i++) {
      expect(representation(entry, `gzip, x${i}`)?.body).toEqual(bytes('g'))
      expect(representation(entry, `x${i}`)?.body).toEqual(BIG)
    }
  })
})

describe('coding of an answer', () => {
  it.each([
    [null, null],
    ['', null],
    ['identity', null],
    ['GZip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
  ])('%s is %s', (field, coding) => {
    const headers = new Headers(field === null ? {} : { 'content-encoding': field })
    expect(codingOf(headers)).toBe(coding)
    expect(isStorableCoding(codingOf(headers))).toBe(true)
  })

  it('keeps none that is several or unknown', () => {
    for (const coding of ['gzip, br', 'aes128gcm', 'x'])
      expect(isStorableCoding(coding)).toBe(false)
  })
})

describe('what is worth encoding', () => {
  const of = (type: string, more: [string, string][] = []) =>
    isWorthEncoding(
      cacheEntry('a.test', '/', { body: BIG, headers: [['content-type', type], ...more] }),
    )

  it('is text', () => {
    for (const type of [
      'text/html',
      'Text/HTML; charset=utf-8',
      'text/css',
      'application/json',
      'application/ld+json',
      'application/xhtml+xml',
      'application/rss+xml; charset=utf-8',
      'application/javascript',
      'image/svg+xml',
    ])
      expect(of(type), type).toBe(true)
    for (const type of ['image/png', 'application/pdf', 'text/event-stream', 'video/mp4', ''])
      expect(of(type), type).toBe(false)
  })

  it('may be transformed and is not done yet', () => {
    expect(of('text/html', [['cache-control', 'public, No-Transform']])).toBe(false)
    for (const name of ['content-md5', 'digest', 'repr-digest']) {
      expect(of('text/html', [[name, 'x']])).toBe(false)
    }
    expect(isWorthEncoding(cacheEntry('a.test', '/', { body: BIG, encodings: [] }))).toBe(false)
    expect(isWorthEncoding(cacheEntry('a.test', '/', { body: BIG, coding: 'gzip' }))).toBe(false)
    expect(isWorthEncoding(cacheEntry('a.test', '/'))).toBe(false)
  })
})

describe('serialized encodings', () => {
  const entry = cacheEntry('a.test', '/', {
    body: BIG,
    encodings: [
      { coding: 'gzip', body: bytes('zipped') },
      { coding: 'br', body: bytes('br') },
    ],
  })

  it('come back with all bytes, each in memory of its own', () => {
    const back = deserializeEntry(serializeEntry(entry))
    expect(back).toEqual(entry)
    expect(back?.body.buffer.byteLength).toBe(2000)
    for (const encodings of [null, []]) {
      const other = { ...entry, encodings }
      expect(deserializeEntry(serializeEntry(other))).toEqual(other)
    }
  })

  it('are refused when sizes do not fit', () => {
    const all = serializeEntry(entry)
    const headLength = new DataView(all.buffer).getUint32(0)
    expect(deserializeEntry(all.subarray(0, 4 + headLength + 7))).toBeNull()
    const text = Buffer.from(all).toString('latin1')
    for (const wrong of ['["gzip",0]', '["zstd",6]', '["gzip",-1]', '"gzip"']) {
      const changed = text.replace('["gzip",6]', wrong.padEnd('["gzip",6]'.length))
      const forged = new Uint8Array(Buffer.from(changed, 'latin1'))
      new DataView(forged.buffer).setUint32(0, headLength + changed.length - text.length)
      expect(deserializeEntry(forged), wrong).toBeNull()
    }
  })
})
