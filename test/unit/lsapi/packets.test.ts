import { describe, expect, it } from 'vitest'
import { PacketDecoder } from '#adapters/node/php-backends/lsapi/packet-decoder.ts'
import { PACKET } from '#adapters/node/php-backends/lsapi/packets.ts'
import { encodeRequest } from '#adapters/node/php-backends/lsapi/request-packet.ts'
import { cgiHeadOf } from '#adapters/node/php-backends/lsapi/response-head.ts'
import type { PhpCall } from '#handlers/sites/origins/php-origin.ts'
import { vhostOf } from '#test/contract/sites/sites-harness.ts'
import { packet, responseHead } from './packet.ts'

const CALL: PhpCall = {
  vhost: vhostOf(),
  context: {
    clientAddress: '192.0.2.7',
    clientPort: 50_000,
    serverAddress: '192.0.2.1',
    serverPort: 80,
    secure: false,
    protocol: 'HTTP/1.1',
    rawTarget: '/i.php',
  },
  host: 'a.test',
  scriptFilename: '/srv/a/public_html/i.php',
  scriptName: '/i.php',
  pathInfo: '/é',
  requestUri: '/i.php/%C3%A9?q=1',
  queryString: 'q=1',
  streaming: () => ({ record: () => undefined }),
} as unknown as PhpCall

const request = (headers: Record<string, string>): Request =>
  new Request('http://a.test/i.php', { headers })

/** The text at an offset, up to the zero byte. */
const textAt = (bytes: Buffer, at: number): string =>
  bytes.toString('utf8', at, bytes.indexOf(0, at))

/** Reads a list of pairs; answers where it ends. */
const readPairs = (bytes: Buffer, at: number, count: number): [Map<string, string>, number] => {
  const pairs = new Map<string, string>()
  for (let i = 0; i < count; i++) {
    const name = bytes.readUInt16BE(at)
    const value = bytes.readUInt16BE(at + 2)
    pairs.set(textAt(bytes, at + 4), textAt(bytes, at + 4 + name))
    at += 4 + name + value
  }
  expect(bytes.readInt32LE(at)).toBe(0)
  return [pairs, at + 4]
}

describe('a request packet', () => {
  const bytes = encodeRequest(request({ cookie: 'a=b', 'x-own': 'v', accept: '*/*' }), CALL, 12)
  const field = (slot: number): number => bytes.readInt32LE(8 + slot * 4)

  it('begins with magic, kind and its own length', () => {
    expect(bytes.toString('latin1', 0, 2)).toBe('LS')
    expect([bytes[2], bytes.readInt32LE(4)]).toEqual([PACKET.beginRequest, bytes.length])
    expect(field(1)).toBe(12)
  })

  it('holds what is asked for where its offsets say', () => {
    expect([2, 3, 4, 5].map((slot) => textAt(bytes, field(slot)))).toEqual([
      '/srv/a/public_html/i.php',
      '/i.php/é',
      'q=1',
      'GET',
    ])
    const [settings, after] = readPairs(bytes, 44, field(8))
    expect([...settings]).toEqual([['\x01\x04log_errors', '1']])
    const [variables, end] = readPairs(bytes, after, field(7))
    expect(variables.get('PATH_INFO')).toBe('/é')
    expect(variables.has('CONTENT_LENGTH')).toBe(false)
    const tables = Math.ceil(end / 8) * 8
    const texts = bytes.length - field(0)
    const indexed = (place: number): string =>
      textAt(bytes, texts + bytes.readInt32LE(tables + 52 + place * 4))
    expect([0, 7, 8, 10].map(indexed)).toEqual(['*/*', '12', 'a=b', 'a.test'])
    expect(bytes.readUInt16LE(tables + 2 * 8)).toBe(3)
    expect(field(6)).toBe(1)
    const unknown = tables + 152
    expect(unknown + 16).toBe(texts)
    expect(textAt(bytes, texts + bytes.readInt32LE(unknown))).toBe('X-OWN')
    expect(textAt(bytes, texts + bytes.readInt32LE(unknown + 8))).toBe('v')
  })

  it('leaves the length of a very large body to the header', () => {
    expect(encodeRequest(request({}), CALL, 2 ** 31).readInt32LE(12)).toBe(-2)
    expect(encodeRequest(request({}), CALL, 2 ** 31 - 1).readInt32LE(12)).toBe(2 ** 31 - 1)
    expect(encodeRequest(request({}), CALL, null).readInt32LE(12)).toBe(0)
  })

  it('is refused when it is too long', () => {
    expect(() => encodeRequest(request({ 'x-long': 'x'.repeat(66_000) }), CALL, null)).toThrow(
      expect.objectContaining({ status: 431 }),
    )
    const long = { ...CALL, queryString: 'q'.repeat(65_535) }
    expect(() => encodeRequest(request({}), long, null)).toThrow(
      expect.objectContaining({ status: 431 }),
    )
  })
})

describe('packets of an answer', () => {
  const decode = (bytes: Buffer<ArrayBuffer>, size: number): string[] => {
    const heard: string[] = []
    const decoder = new PacketDecoder({
      head: (content) => heard.push(cgiHeadOf(content).toString('latin1')),
      body: (piece) => heard.push(`body ${piece.toString()}`),
      stderr: (piece) => heard.push(`stderr ${piece.toString()}`),
      end: () => heard.push('end'),
      closed: () => heard.push('closed'),
      failed: () => heard.push('failed'),
    })
    for (let at = 0; at < bytes.length; at += size)
      decoder.push(Buffer.from(bytes.subarray(at, at + size)))
    return heard
  }
  const whole = Buffer.concat([
    packet(PACKET.stderr, Buffer.from('\0PID\x01\x02\0\0', 'latin1')),
    packet(PACKET.requestReceived),
    responseHead(201, ['A: b', 'C: \xe9']),
    packet(PACKET.stderr, Buffer.from('eight by')),
    packet(PACKET.responseBody, Buffer.from('abcd')),
    packet(PACKET.responseEnd),
    packet(PACKET.connectionClose),
  ])

  it('of one chunk make one piece of the body, before the end is told', () => {
    const text = 'abcdefghij'.repeat(300)
    const bodies = [...text].map((letter) => packet(PACKET.responseBody, Buffer.from(letter)))
    const message = packet(PACKET.stderr, Buffer.from('a longer message of lsphp'))
    const bytes = Buffer.concat([
      responseHead(200, ['A: b']),
      ...bodies.slice(0, 1500),
      message,
      ...bodies.slice(1500),
      packet(PACKET.responseEnd),
    ])
    expect(decode(bytes, bytes.length)).toEqual([
      'Status: 200\r\nA: b\r\n\r\n',
      'stderr a longer message of lsphp',
      `body ${text}`,
      'end',
    ])
  })

  it('are the same in whatever pieces they come', () => {
    const expected = [
      'Status: 201\r\nA: b\r\nC: \xe9\r\n\r\n',
      'stderr eight by',
      'body abcd',
      'end',
      'closed',
    ]
    expect(decode(whole, whole.length)).toEqual(expected)
    for (const size of [1, 3, 7]) {
      const joined = decode(whole, size).reduce<string[]>((heard, next) => {
        const last = heard.at(-1)
        if (next.startsWith('body ') && last?.startsWith('body '))
          heard[heard.length - 1] = last + next.slice(5)
        else heard.push(next)
        return heard
      }, [])
      expect(joined).toEqual(expected)
    }
  })

  it('are refused when a length does not fit', () => {
    const head = responseHead(200, ['A: b'])
    const change = (at: number, value: number): Buffer<ArrayBuffer> => {
      const changed = Buffer.from(head)
      changed.writeInt32LE(value, at)
      return changed
    }
    for (const bad of [
      change(4, 7),
      change(4, -1),
      change(4, 1_000_000),
      change(8, -1),
      change(8, 2),
      change(8, 0),
      packet(PACKET.responseHead, Buffer.alloc(7)),
      packet(PACKET.responseEnd, Buffer.from('x')),
      packet(2),
    ])
      expect(() => decode(bad, bad.length)).toThrow()
  })
})
