import { describe, expect, it } from 'vitest'
import { nameOfCookie, readOnly, readPurgeOrder, splitCookies } from '#edge-cache/index.ts'

const items = (text: string): string[] =>
  readPurgeOrder(text).items.map(({ kind, name, soft }) => `${kind} ${name}${soft ? ' soft' : ''}`)

describe('readOnly', () => {
  it.each([
    ['only, a b', 'a b', true],
    ['ONLY', '', true],
    [' only,, *', '*', true],
    ['only-child', 'only-child', false],
    ['a, only', 'a, only', false],
    ['', '', false],
  ])('%s', (text, rest, only) => {
    expect(readOnly(text)).toEqual({ text: rest, only })
  })
})

describe('readPurgeOrder', () => {
  it.each<[string, string[]]>([
    ['public,a,b', ['tag a', 'tag b']],
    ['A , tag=B', ['tag a', 'tag b']],
    ['stale,a;b', ['tag a soft', 'tag b']],
    ['public,stale,/a,/b?c=d', ['path /a soft', 'path /b?c=d soft']],
    ['a~s,b~STALE,c~', ['tag a soft', 'tag b soft', 'tag c~']],
    ['private,*;public,a', ['tag a']],
    ['public,a;private,b,*', ['tag a']],
    ['private,a, public,b', ['tag b']],
    ['stale,a, public,b', ['tag a soft', 'tag b']],
    ['a~s,a', ['tag a']],
    ['a,a~s', ['tag a']],
    ['/blog/*', ['prefix /blog/']],
    ['host:a.test,,;;  ,host:', []],
    ['x'.repeat(1025), []],
    ['', []],
  ])('%s', (text, expected) => {
    expect(items(text)).toEqual(expected)
    expect(readPurgeOrder(text).all).toBe(null)
  })

  it.each<[string, 'hard' | 'soft']>([
    ['*', 'hard'],
    ['public,*;private,*', 'hard'],
    ['a,*', 'hard'],
    ['a*', 'hard'],
    ['*a', 'hard'],
    ['stale,*', 'soft'],
    ['stale,*;*', 'hard'],
    ['*~s', 'soft'],
    [`/${'a'.repeat(10_000)}`, 'hard'],
    ['a,'.repeat(40_000), 'hard'],
    [Array.from({ length: 1001 }, (_, index) => index).join(), 'hard'],
  ])('%.20s: everything of the site', (text, expected) => {
    expect(readPurgeOrder(text).all).toBe(expected)
  })

  it('takes any text', () => {
    for (const piece of ['~', '~s', ' ', ',;', 'tag=', 'public,', '*~', '/~s,'])
      expect(() => readPurgeOrder(piece.repeat(5000))).not.toThrow()
  })
})

describe('splitCookies', () => {
  it.each<[string, string[]]>([
    ['a=1', ['a=1']],
    ['a=1, b=2', ['a=1', 'b=2']],
    [
      'a=1; expires=Wed, 21 Oct 2026 07:28:00 GMT; path=/,b=',
      ['a=1; expires=Wed, 21 Oct 2026 07:28:00 GMT; path=/', 'b='],
    ],
    ['a=1,2,3;path=/', ['a=1,2,3;path=/']],
    ['nothing', []],
    ['', []],
  ])('%s', (joined, expected) => {
    expect(splitCookies(joined)).toEqual(expected)
  })

  it('knows the name', () => {
    expect(nameOfCookie(' a = 1; b=2')).toBe('a')
  })
})
