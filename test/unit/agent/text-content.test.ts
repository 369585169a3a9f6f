import { expect, it } from 'vitest'
import { textContent } from '#adapters/node/agent/files/text-content.ts'

it('gives UTF-8 as text, with its byte order mark, and all else as base64', () => {
  const text = '\ufeff{"é": "\\u0000"}\r\n'
  expect(textContent(Buffer.from(text))).toEqual({ content: text, encoding: 'utf8' })
  expect(textContent(Buffer.from('a\0b'))).toEqual({ content: 'a\0b', encoding: 'utf8' })
  expect(textContent(Buffer.of(0xff))).toEqual({ content: '/w==', encoding: 'base64' })
})

it('gives nothing that JSON would make much larger', () => {
  const size = 1_000_000
  for (const unit of ['\0', '\n', '"', '\\', 'ab\u0001', '\u001b[0m']) {
    const { content, encoding } = textContent(Buffer.from(unit.repeat(size / unit.length)))
    expect(encoding, JSON.stringify(unit)).toBe('base64')
    expect(JSON.stringify(content).length).toBeLessThan(1.5 * size)
  }
  for (const unit of ['a', 'é', 'const a = "b"\n', '{"a":"b","c":"d"}\n']) {
    const { content, encoding } = textContent(Buffer.from(unit.repeat(size / unit.length)))
    expect(encoding, JSON.stringify(unit)).toBe('utf8')
    expect(JSON.stringify(content).length).toBeLessThan(1.6 * size)
  }
})
