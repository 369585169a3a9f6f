import { describe, expect, it } from 'vitest'
import { BlockReader, isBlockPart } from '#adapters/node/web-server/http2/hpack/block-reader.ts'
import { FrameError } from '#adapters/node/web-server/http2/frames/frame-error.ts'
import { FrameReader } from '#adapters/node/web-server/http2/frames/frame-reader.ts'
import {
  headerFrames,
  PREFACE,
  putFrameHead,
} from '#adapters/node/web-server/http2/frames/frames.ts'
import { HpackDecoder } from '#adapters/node/web-server/http2/hpack/decoder.ts'
import { encodeFields } from '#adapters/node/web-server/http2/hpack/encoder.ts'
import { isWellFormed } from '#adapters/node/web-server/http2/streams/well-formed.ts'
import { StreamHead } from '#adapters/node/web-server/http2/streams/stream-head.ts'
import { parseHost } from '#handlers/sites/names/request-host.ts'
import { heardByNode, sentByNode } from '../support/h2-pair.ts'
import { Random } from '../support/random.ts'

/** Numbers from 0 to 1, the same each time. */
const seeded = (seed: number): (() => number) => {
  const random = new Random(seed)
  return () => random.next()
}

const limits = { maxFields: 128, maxListBytes: 20_000 }
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex')
const GET = [':method', 'GET', ':scheme', 'http', ':path', '/', ':authority', 'www.example.com']

const mayBeFast = (list: readonly string[]): boolean => {
  const head = new StreamHead(list)
  const isPage = head.method === 'GET' && head.scheme === 'https' && head.isSimple
  return isPage && !head.special && parseHost(head.target) !== null
}

/** Every header block of a connection, decoded in turn. */
const decodeAll = (bytes: Buffer, step: number): (string[] | null)[] => {
  const decoder = new HpackDecoder(limits)
  const blocks = new BlockReader(65_536)
  const lists: (string[] | null)[] = []
  const reader = new FrameReader((all, start, end) => {
    const block = isBlockPart(all, start) ? blocks.take(all, start, end) : null
    if (block !== null) lists.push(decoder.decode(block.bytes))
  })
  for (let at = 0; at < bytes.length; at += step) reader.read(bytes.subarray(at, at + step))
  return lists
}

describe('the HPACK decoder', () => {
  it('reads the examples of RFC 7541 C.3 and C.4', () => {
    const examples = [
      [
        '828684410f7777772e6578616d706c652e636f6d',
        '828684be58086e6f2d6361636865',
        '828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565',
      ],
      [
        '828684418cf1e3c2e5f23a6ba0ab90f4ff',
        '828684be5886a8eb10649cbf',
        '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf',
      ],
    ]
    for (const blocks of examples) {
      const decoder = new HpackDecoder(limits)
      const [first, second, third] = blocks.map((block) => decoder.decode(hex(block)))
      expect(first).toEqual(GET)
      expect(second).toEqual([...GET, 'cache-control', 'no-cache'])
      expect(third).toEqual([
        ...[':method', 'GET', ':scheme', 'https', ':path', '/index.html'],
        ...[':authority', 'www.example.com', 'custom-key', 'custom-value'],
      ])
    }
  })

  it.each([
    ['index zero', '80'],
    ['an index beyond the table', 'be'],
    ['a name beyond the table', '7e0161'],
    ['an endless integer', 'ffffffffffffffffffff01'],
    ['a text that is cut', '400561'],
    ['a table larger than allowed', '3fe27f'],
    ['a new size in the middle', '8220'],
    ['padding that is no prefix of the end mark', '4081fe0161'],
    ['padding of a whole octet', '40820fff0161'],
    ['the end mark', '4084fffffffc0161'],
    ['nothing after a literal', '40'],
  ])('refuses %s', (_what, block) => {
    expect(() => new HpackDecoder(limits).decode(hex(block))).toThrow(FrameError)
  })

  it('keeps the table right through lists that are too long', () => {
    const decoder = new HpackDecoder({ maxFields: 2, maxListBytes: 20_000 })
    expect(decoder.decode(hex('82868441017840016101624001630164'))).toBeNull()
    expect(decoder.decode(hex('be'))).toEqual(['c', 'd'])
    const small = new HpackDecoder({ maxFields: 128, maxListBytes: 4000 })
    const bomb = Buffer.concat([
      hex('40017a7fe90e'),
      Buffer.alloc(2000, 0x61),
      Buffer.alloc(9000, 0xbe),
    ])
    expect(small.decode(bomb)).toBeNull()
  })

  it('forgets what does not fit into the table', () => {
    const decoder = new HpackDecoder(limits)
    decoder.decode(hex('4001610162'))
    expect(decoder.decode(hex('be'))).toEqual(['a', 'b'])
    decoder.decode(hex('20'))
    expect(() => decoder.decode(hex('be'))).toThrow(FrameError)
  })
})

describe('what Node’s client sends', () => {
  it('is read as it was meant, however it is cut', async () => {
    const random = seeded(7541)
    const text = (least: number, most: number): string =>
      Array.from({ length: least + Math.floor(random() * (most - least)) }, () =>
        String.fromCharCode(33 + Math.floor(random() * 94)),
      ).join('')
    const names = Array.from({ length: 40 }, (_, at) => `x-field-${at}`)
    const requests = Array.from({ length: 300 }, (_, at) => {
      const fields = [
        ':method',
        'GET',
        ':scheme',
        'https',
        ':authority',
        'a.test',
        ':path',
        `/${at % 9}`,
      ]
      for (let more = Math.floor(random() * 12); more > 0; more--) {
        const name = names[Math.floor(random() * names.length)] ?? 'x'
        fields.push(name, random() < 0.5 ? 'the same' : text(1, random() < 0.02 ? 3000 : 60))
      }
      return fields
    })
    const bytes = await sentByNode(requests)
    for (const step of [bytes.length, 16_000, 100]) {
      expect(decodeAll(bytes, step)).toEqual(requests)
    }
  })
})

describe('header blocks written anew', () => {
  it('say the same and need no table', () => {
    const fields = [...GET, 'cookie', 'a=b', 'x-long', 'v'.repeat(5000), 'accept', '', 'é', 'ü']
    const block = encodeFields(fields)
    for (let time = 0; time < 2; time++) {
      const decoder = new HpackDecoder(limits)
      expect(decoder.decode(block)).toEqual(fields)
      expect(decoder.version).toBe(0)
    }
    const frames = headerFrames(5, encodeFields(['x', 'y'.repeat(40_000)]), true)
    const blocks = new BlockReader(65_536)
    const found: unknown[] = []
    const reader = new FrameReader((all, start, end) => found.push(blocks.take(all, start, end)))
    reader.read(Buffer.concat([PREFACE, frames]))
    expect(found.map((one) => one !== null)).toEqual([false, false, true])
    expect(found[2]).toMatchObject({ stream: 5, endStream: true })
  })
})

describe('broken header blocks', () => {
  const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
    const out = Buffer.alloc(9 + payload.length)
    out.set(payload, putFrameHead(out, 0, type, flags, stream, payload.length))
    return out
  }
  const base = hex(
    '8287 4186a0e41d139d09 8460 4085aec1cd48ff 83f1e3c2 0f0d 0131 5885aec3771a4b 7a84 1d75d0ff',
  )
  const connectionOf = (block: Buffer): Buffer =>
    Buffer.concat([
      PREFACE,
      frame(4, 0, 0, Buffer.alloc(0)),
      frame(1, 5, 1, block),
      frame(6, 0, 0, Buffer.alloc(8)),
    ])

  it('are never taken for more than Node’s session takes them for', async () => {
    const random = seeded(9113)
    const pick = (most: number): number => Math.floor(random() * most)
    const plain = encodeFields([
      ...GET,
      'user-agent',
      'some agent',
      'accept',
      '*/*',
      'cookie',
      'a=b',
    ])
    let both = 0
    for (let round = 0; round < 1500; round++) {
      const block = Buffer.from([plain, base][round % 2] as Buffer)
      for (let change = 1 + pick(3); change > 0; change--) block[pick(block.length)] = pick(256)
      const cut = random() < 0.1 ? block.subarray(0, pick(block.length)) : block
      let list: string[] | null = null
      try {
        list = new HpackDecoder(limits).decode(Buffer.from(cut))
      } catch (error) {
        expect(error).toBeInstanceOf(FrameError)
      }
      if (list === null || !isWellFormed(list)) continue
      const heard = await heardByNode(connectionOf(cut))
      // The session looks at some values closer than at the list's form; those are never hot.
      if (heard === null && !mayBeFast(list)) continue
      expect(heard).toEqual(list)
      both++
    }
    expect(both).toBeGreaterThan(100)
  })

  it('of any bytes are read or refused, and nothing else', () => {
    const random = seeded(1)
    const decoder = { read: 0, refused: 0 }
    for (let round = 0; round < 20_000; round++) {
      const block = Buffer.from(
        Array.from({ length: Math.floor(random() * 40) }, () => random() * 256),
      )
      try {
        new HpackDecoder(limits).decode(block)
        decoder.read++
      } catch (error) {
        if (!(error instanceof FrameError)) throw error
        decoder.refused++
      }
    }
    expect(decoder.read).toBeGreaterThan(100)
    expect(decoder.refused).toBeGreaterThan(100)
  })
})
