import { describe, expect, test } from 'vitest'
import {
  isPrivateSuffix,
  parentDomains,
  parseDomainName,
  wwwAlias,
} from '#handlers/domain/domains/domain-name.ts'

const long = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.com`

describe('parseDomainName', () => {
  test.each([
    ['example.com', 'example.com'],
    ['EXAMPLE.Com.', 'example.com'],
    ['a.b.c.example.co.uk', 'a.b.c.example.co.uk'],
    ['münchen.example', 'xn--mnchen-3ya.example'],
    ['日本.jp', 'xn--wgv71a.jp'],
    ['xn--wgv71a.jp', 'xn--wgv71a.jp'],
    ['example\u3002com', 'example.com'],
    ['site.test', 'site.test'],
    ['1.example', '1.example'],
    [long, long],
  ])('takes %s', (input, expected) => {
    expect(parseDomainName(input)).toBe(expected)
  })

  test.each([
    '',
    '.',
    '..',
    '.example.com',
    'example.com..',
    'example..com',
    'localhost',
    'com',
    'co.uk',
    '*.example.com',
    'exam*ple.com',
    '127.0.0.1',
    '2130706433',
    '0x7f.0.0.1',
    '127.1',
    '[::1]',
    '::1',
    'example.123',
    '-a.com',
    'a-.com',
    'a_b.com',
    `${'a'.repeat(64)}.com`,
    `x${long}`,
    'a b.com',
    ' a.com',
    'a.com ',
    'a.com\n',
    'a.com\r\nx: y',
    'a\0.com',
    'a.com/path',
    'a.com\\x',
    'a.com?x',
    'a.com#x',
    'a.com:80',
    'user@a.com',
    'http://a.com',
    'a;b.com',
    'a{b}.com',
    'a"b.com',
    "a'b.com",
    'a`b.com',
    '$(id).com',
    'a%2eb.com',
    'a\u00adb.com',
    'a\u200bb.com',
    'a'.repeat(5000),
  ])('refuses %j', (input) => {
    expect(() => parseDomainName(input, 'domain')).toThrow(
      expect.objectContaining({ status: 400, field: 'domain' }),
    )
  })

  test('names the parents that could be owned', () => {
    expect(parentDomains('a.b.example.com')).toEqual(['b.example.com', 'example.com'])
    expect(parentDomains('example.com')).toEqual([])
  })

  test('gives www only where it makes sense', () => {
    expect(wwwAlias('example.com')).toBe('www.example.com')
    expect(wwwAlias('www.example.com')).toBeNull()
    expect(wwwAlias(long)).toBeNull()
  })
})

test.each([
  ['github.io', true],
  ['uk.com', true],
  ['somebody.github.io', false],
  ['github.com', false],
  ['example.co.uk', false],
  ['site.test', false],
])('names directly below %s belong to others: %s', (name, expected) => {
  expect(isPrivateSuffix(name)).toBe(expected)
})
