import { describe, expect, test } from 'vitest'
import { parseUsername } from '#handlers/domain/accounts/username.ts'

describe('parseUsername', () => {
  test.each([
    ['abc', 'abc'],
    ['Alice', 'alice'],
    ['a1b2c3', 'a1b2c3'],
    ['0xff', '0xff'],
    ['a'.repeat(16), 'a'.repeat(16)],
  ])('takes %s as %s', (input, expected) => {
    expect(parseUsername(input)).toBe(expected)
  })

  test.each([
    '',
    'ab',
    'a'.repeat(17),
    '12345',
    'a-b',
    'a_b',
    'a.b',
    ' abc',
    'abc\n',
    '-rf',
    'root',
    'ROOT',
    'mysql',
    'nobody',
    'sudo',
    'berth',
    '\u212aelvin', // the Kelvin sign lower-cases to a plain k
    'alıce',
    'аlice', // Cyrillic а
    '$(id)',
    'a;b',
    'a\0b',
  ])('refuses %j', (input) => {
    expect(() => parseUsername(input)).toThrow(
      expect.objectContaining({ status: 400, field: 'username' }),
    )
  })
})
