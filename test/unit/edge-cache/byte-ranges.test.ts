import { describe, expect, it } from 'vitest'
import { multipartBody, multipartRanges, readRanges } from '#edge-cache/index.ts'

const shown = (field: string, size = 10): string => {
  const ranges = readRanges(field, size)
  return Array.isArray(ranges)
    ? ranges.map(({ start, end }) => `${start}-${end}`).join(' ')
    : String(ranges)
}

describe('a Range field', () => {
  it.each([
    ['bytes=0-0', '0-0'],
    ['BYTES=2-', '2-9'],
    ['bytes=-3', '7-9'],
    ['bytes=-99', '0-9'],
    ['bytes=5-99999999999999999999999999', '5-9'],
    ['bytes= 0-1 ,\t3-4', '0-1 3-4'],
    ['bytes=,,0-1,,', '0-1'],
    ['bytes=0-1,20-', '0-1'],
    ['bytes=10-', 'none'],
    ['bytes=-0', 'none'],
    ['bytes=10-,-0', 'none'],
    ['bytes=', 'null'],
    ['bytes=,', 'null'],
    ['bytes=-', 'null'],
    ['bytes=2-1', 'null'],
    ['bytes=0-1,2-1', 'null'],
    ['bytes=0 -1', 'null'],
    ['bytes =0-1', 'null'],
    ['bytes=0-1 2-3', 'null'],
    ['bytes=0-1;2-3', 'null'],
    ['bytes=0x1-2', 'null'],
    ['items=0-1', 'null'],
    ['bytes=0-9,0-0', 'null'],
    [`bytes=${Array.from({ length: 33 }, (_, at) => `${at}-${at}`).join()}`, 'null'],
  ])('%s', (field, expected) => {
    expect(shown(field)).toBe(expected)
  })

  it('of nothing but blanks, commas or digits is read once', () => {
    for (const filling of [' ', ',', ', ', '1', '-', '1-1,', '\t'])
      expect(shown(`bytes=${filling.repeat(1_000_000)}x`)).toBe('null')
  })
})

describe('parts', () => {
  it('are closed once, whoever ends', async () => {
    const ranges = [
      { start: 0, end: 1 },
      { start: 4, end: 5 },
    ]
    const framed = multipartRanges(ranges, null, 10)
    let closed = 0
    const begin = () =>
      multipartBody(
        framed,
        ranges,
        ({ start }) => Uint8Array.of(48 + start, 49 + start),
        () => void closed++,
      )
    const text = await new Response(begin()).text()
    expect(text.length).toBe(framed.lengthBytes)
    expect(closed).toBe(1)
    await begin().cancel()
    expect(closed).toBe(2)
    const reader = begin().getReader()
    await reader.read()
    await reader.cancel()
    expect(closed).toBe(3)
    const broken = multipartBody(
      framed,
      ranges,
      () => {
        throw new Error('gone')
      },
      () => void closed++,
    )
    await expect(new Response(broken).text()).rejects.toThrow('gone')
    expect(closed).toBe(4)
  })
})
