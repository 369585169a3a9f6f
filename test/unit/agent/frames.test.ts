import { describe, expect, it } from 'vitest'
import { createFrameReader, encodeFrame } from '#adapters/node/agent/files/frames.ts'
import type { Frame } from '#adapters/node/agent/files/frames.ts'

describe('helper frames', () => {
  const sent = Buffer.concat([
    encodeFrame({ id: 1 }, Buffer.from([0, 255, 10])),
    encodeFrame({ id: 2, text: 'ü' }),
  ])

  it.each([1, 2, 3, 7, 1000])('survive chunks of %i bytes', (size) => {
    const frames: Frame[] = []
    const read = createFrameReader(1000, (frame) => frames.push(frame))
    for (let at = 0; at < sent.length; at += size) read(sent.subarray(at, at + size))
    expect(frames.map((frame) => frame.header)).toEqual([{ id: 1 }, { id: 2, text: 'ü' }])
    expect([...(frames[0]?.body ?? [])]).toEqual([0, 255, 10])
    expect(frames[1]?.body.length).toBe(0)
  })

  it('stop at one that is too large before its bytes arrive', () => {
    const read = createFrameReader(100, () => undefined)
    expect(() => read(Buffer.from([0, 0, 0, 101]))).toThrow('over 100')
  })

  it.each([
    [[0, 0, 0, 3, 1, 2, 3]],
    [[0, 0, 0, 5, 0, 0, 0, 9, 65]],
    [[0, 0, 0, 5, 0, 0, 0, 1, 65]],
  ])('stop at a malformed one: %j', (bytes) => {
    const read = createFrameReader(100, () => undefined)
    expect(() => read(Buffer.from(bytes))).toThrow()
  })

  it('stop at one that comes in single bytes for ever', () => {
    const read = createFrameReader(10_000_000, () => undefined)
    read(Buffer.from([0, 0x90, 0, 0]))
    const byte = Buffer.from([0])
    expect(() => {
      for (let at = 0; at < 100_000; at++) read(byte)
    }).toThrow('too many pieces')
  })
})
