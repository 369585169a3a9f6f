import { describe, expect, it } from 'vitest'
import { RequestDecoder } from '#adapters/node/agent/php/cgi/request-decoder.ts'

const record = (type: number, body: Buffer, { id = 1, padding = 0, version = 1 } = {}): Buffer =>
  Buffer.concat([
    Buffer.of(version, type, 0, id, body.length >> 8, body.length & 255, padding, 0),
    body,
    Buffer.alloc(padding),
  ])
const BEGIN = Buffer.of(0, 1, 1, 0, 0, 0, 0, 0)
const NONE = Buffer.alloc(0)

const listen = (): { heard: string[]; decoder: RequestDecoder } => {
  const heard: string[] = []
  let body = ''
  const decoder = new RequestDecoder({
    begin: (keep) => void heard.push(`begin ${keep}`),
    params: (content) => void heard.push(`params ${content.toString()}`),
    stdin: (piece) => void (body += piece.toString()),
    stdinEnd: () => void heard.push(`stdin ${body}`),
    abort: () => void heard.push('abort'),
    getValues: () => void heard.push('values'),
  })
  return { heard, decoder }
}

describe('RequestDecoder', () => {
  const request = Buffer.concat([
    record(9, NONE, { id: 0 }),
    record(1, BEGIN),
    record(4, Buffer.from('one'), { padding: 5 }),
    record(4, Buffer.from('two')),
    record(4, NONE),
    record(5, Buffer.from('some'), { padding: 3 }),
    record(5, Buffer.from('thing')),
    record(5, NONE),
    record(2, NONE),
  ])
  const expected = ['values', 'begin true', 'params onetwo', 'stdin something', 'abort']

  it('hears the same, whatever the pieces', () => {
    for (const size of [1, 2, 3, 7, 8, 9, 50, request.length]) {
      const { heard, decoder } = listen()
      for (let at = 0; at < request.length; at += size)
        decoder.push(request.subarray(at, at + size))
      expect([size, heard]).toEqual([size, expected])
    }
  })

  it.each<[string, Buffer]>([
    ['another version', record(1, BEGIN, { version: 2 })],
    ['another request', record(1, BEGIN, { id: 2 })],
    ['values of a request', record(9, NONE)],
    ['another role', record(1, Buffer.of(0, 2, 0, 0, 0, 0, 0, 0))],
    ['a short begin', record(1, Buffer.of(0, 1))],
    ['an answer', record(6, Buffer.from('x'))],
    ['an unknown type', record(77, NONE)],
  ])('refuses %s', (_what, bytes) => {
    expect(() => listen().decoder.push(bytes)).toThrow()
  })

  it('bounds variables', () => {
    const { decoder } = listen()
    const piece = record(4, Buffer.alloc(65_535))
    expect(() => {
      for (let i = 0; i < 20; i++) decoder.push(piece)
    }).toThrow(/too long/)
  })
})
