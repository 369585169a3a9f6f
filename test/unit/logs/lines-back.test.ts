import { describe, expect, it } from 'vitest'
import { lineText, linesBack, MAX_LINE_BYTES } from '#adapters/node/agent/logs/lines-back.ts'
import { linesOn } from '#adapters/node/agent/logs/lines-on.ts'

const BLOCK = 256 * 1024

const over = (content: Buffer) => async (position: number, length: number) =>
  content.subarray(position, position + length)

const allBack = async (content: Buffer, floor = 0) => {
  const found: { start: number; text: string; cut: boolean }[] = []
  for await (const { lines } of linesBack(over(content), { end: content.length, floor })) {
    for (const line of lines) {
      found.push({ start: line.start, text: lineText(line), cut: line.cut })
    }
  }
  return found
}

describe('reading lines backwards', () => {
  it('answers each line with its place, last first, without empty ones', async () => {
    expect(await allBack(Buffer.from('one\n\ntwö\nthree\n'))).toEqual([
      { start: 10, text: 'three', cut: false },
      { start: 5, text: 'twö', cut: false },
      { start: 0, text: 'one', cut: false },
    ])
  })

  it.each([0, 1, 2, 3, 4, 5])(
    'joins lines and characters at the border of blocks (%i)',
    async (shift) => {
      // The border lies in the middle of a character of four bytes.
      const lines = [`${'x'.repeat(100)}😀é日`, '😀'.repeat(20), 'y'.repeat(BLOCK - 50 - shift)]
      const content = Buffer.from(`${lines.join('\n')}\n`)
      const found = await allBack(content)
      expect(found.map(({ text }) => text)).toEqual([
        'y'.repeat(MAX_LINE_BYTES),
        lines[1],
        lines[0],
      ])
    },
  )

  it('answers many lines over many blocks exactly once', async () => {
    const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index} äöü`)
    const found = await allBack(Buffer.from(`${lines.join('\n')}\n`))
    expect(found.map(({ text }) => text)).toEqual(lines.toReversed())
  })

  it('cuts a long line without breaking a character', async () => {
    const [line] = await allBack(Buffer.from(`${'日'.repeat(BLOCK)}\n`))
    expect(line?.cut).toBe(true)
    expect(line?.text).toMatch(/^日+$/)
  })

  it('makes bytes that are no UTF-8 visible', async () => {
    const [line] = await allBack(Buffer.from([0x61, 0xff, 0x62, 0x0a]))
    expect(line?.text).toBe('a\ufffdb')
  })

  it('leaves out the line that begins before the floor', async () => {
    expect(await allBack(Buffer.from('one\ntwo\nthree\n'), 2)).toMatchObject([
      { text: 'three' },
      { text: 'two' },
    ])
  })

  it('answers a part where there is no line end at all', async () => {
    expect(await allBack(Buffer.from('abcdef'), 2)).toEqual([
      { start: 2, text: 'cdef', cut: false },
    ])
  })
})

describe('reading lines on', () => {
  it('waits for the end of a line', async () => {
    const content = Buffer.from('one\ntwo\nhal')
    const { lines, next } = await linesOn(over(content), 0, 1000)
    expect(lines.map(lineText)).toEqual(['one', 'two'])
    expect(next).toBe(8)
    expect(await linesOn(over(content), next, 1000)).toEqual({ lines: [], next: 8 })
  })

  it('gets past a line that is longer than what it reads', async () => {
    const content = Buffer.from(`${'a'.repeat(100)}\nb\n`)
    const { lines, next } = await linesOn(over(content), 0, 50)
    expect(lines).toHaveLength(1)
    expect(next).toBe(50)
  })
})
