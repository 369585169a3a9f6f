import { expect, test } from 'vitest'
import { certificateFaults } from '#adapters/node/config/suspicions/certificate-suspicions.ts'
import { formatBytes, formatSecs, formatShare } from '#cli/terminal/format.ts'
import { hasColor, paint } from '#cli/terminal/paint.ts'
import { generatePassword } from '#cli/terminal/password.ts'
import { displayWidth, tableLines } from '#cli/terminal/print-table.ts'
import { printable } from '#cli/terminal/printable.ts'
import { createProgress, progressLine } from '#cli/terminal/progress.ts'

test('a table has a heading, numbers at the right, and no blank at the end of a line', () => {
  const rows = [
    { name: 'a', size: 5, state: 'active' },
    { name: '日本', size: 12_345, state: 'x' },
  ]
  const columns = [
    { title: 'NAME', value: (row: (typeof rows)[0]) => row.name },
    { title: 'SIZE', value: (row: (typeof rows)[0]) => row.size, right: true },
    { title: 'STATE', value: (row: (typeof rows)[0]) => row.state, state: true },
  ]
  expect(tableLines(rows, columns, false)).toEqual([
    'NAME   SIZE  STATE',
    'a         5  active',
    '日本  12345  x',
  ])
  expect(tableLines(rows, columns, true)[1]).toBe('a         5  \u001b[32mactive\u001b[0m')
  expect(tableLines([], columns, false)).toEqual([])
  expect(displayWidth('aé日🙂')).toBe(6)
})

test('nothing is shown that could steer the terminal', () => {
  expect(printable('a\u001b[31m\r\n\u202e\u0007é')).toBe('a\\u{1b}[31m\\u{d}\\u{a}\\u{202e}\\u{7}é')
  const rows = [{ name: '\u001b]0;x\u0007' }]
  const [, line] = tableLines(rows, [{ title: 'N', value: ({ name }) => name }], false)
  expect(line).toBe('\\u{1b}]0;x\\u{7}')
})

test('colours: at a terminal, not with NO_COLOR, not where it is dumb', () => {
  expect(hasColor({ isTTY: true }, {})).toBe(true)
  expect(hasColor({ isTTY: true }, { NO_COLOR: '' })).toBe(true)
  expect(hasColor({ isTTY: true }, { NO_COLOR: '1' })).toBe(false)
  expect(hasColor({ isTTY: true }, { TERM: 'dumb' })).toBe(false)
  expect(hasColor({}, {})).toBe(false)
  expect(paint('red', 'x', false)).toBe('x')
})

test('progress: within the width, silent without a terminal, taken away at the end', () => {
  expect(progressLine(50, 'half', 80)).toBe('[############............]  50 %  half')
  expect(progressLine(null, 'some', 80)).toBe('some')
  expect(progressLine(100, 'x'.repeat(200), 40)).toHaveLength(39)
  const written: string[] = []
  const write = (text: string) => written.push(text)
  const silent = createProgress({ write })
  silent.show(1, 'x')
  silent.clear()
  expect(written).toEqual([])
  const progress = createProgress({ isTTY: true, columns: 60, write })
  progress.show(0, 'a')
  progress.show(0, 'a')
  progress.clear()
  progress.clear()
  expect(written).toEqual(['\r\u001b[2K[........................]   0 %  a', '\r\u001b[2K'])
})

test('sizes, times and shares for people', () => {
  expect([0, 999, 1000, 1_540_000, 5e11].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '1.5 MB',
    '500 GB',
  ])
  expect(formatBytes(null)).toBe('-')
  expect([5, 60, 3600, 90_000].map(formatSecs)).toEqual(['5 s', '1 min', '1 h 0 min', '1 d 1 h'])
  expect(formatShare(0.9731)).toBe('97.3 %')
})

test('generated passwords differ and hold nothing that looks alike', () => {
  const made = Array.from({ length: 50 }, generatePassword)
  expect(new Set(made).size).toBe(50)
  for (const password of made) expect(password).toMatch(/^[a-km-zA-HJ-NP-Z2-9]{20}$/)
})

test('a certificate that cannot be read is one fault', () => {
  const faults = certificateFaults({ certificate: '/nonexistent.pem', key: '/x' }, ['a.test'], 0)
  expect(faults).toEqual([{ key: 'certificate', message: expect.stringContaining('ENOENT') }])
})
