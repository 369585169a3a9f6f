import { describe, expect, it } from 'vitest'
import { compilePattern, PatternError, PatternLimit } from '#handlers/sites/rewrite/pattern.ts'

const match = (source: string, text: string, noCase = false): string[] | null =>
  compilePattern(source, noCase).match(text, { left: 100_000 })

describe('patterns', () => {
  it.each([
    ['^(.*)/(.*)$', 'a/b/c', ['a/b/c', 'a/b', 'c']],
    ['^(?:a|b)*c', 'ababcd', ['ababc']],
    ['(\\w+)-(\\1)', 'foo-foo', ['foo-foo', 'foo', 'foo']],
    ['^(?i)AbC$', 'aBc', ['aBc']],
    ['x(?i:Y)z', 'xyz', ['xyz']],
    ['[[:alpha:]]+\\d{2,3}', 'xx12345', ['xx123']],
    ['[]a]+', 'a]', ['a]']],
    ['(?<=foo|b)bar', 'foobar', ['bar']],
    ['(?<!foo)bar', 'xbar', ['bar']],
    ['^(?!wp-)(.+)$', 'blog', ['blog', 'blog']],
    ['(?>a+)b', 'aab', ['aab']],
    ['^((a)|b)+$', 'ab', ['ab', 'b', 'a']],
    ['(?P<year>\\d+)-(?P=year)', '7-7', ['7-7', '7']],
    ['\\Aa\\.b\\z', 'a.b', ['a.b']],
    ['\\Qa.b\\E$', 'a.b', ['a.b']],
    ['^a.+?b', 'axxbxb', ['axxb']],
    ['', 'x', ['']],
  ])('%s finds in %s', (source, text, found) => {
    expect(match(source, text)).toEqual(found)
  })

  it.each([
    ['(?>a*)a', 'aaa'],
    ['a*+a', 'aaa'],
    ['^wp-', 'xwp-'],
    ['\\bfoo\\b', 'food'],
    ['[^/]+$', '/'],
  ])('%s does not match %s', (source, text) => {
    expect(match(source, text)).toBeNull()
  })

  it.each(['(', ')', '[a', '*a', '(?R)', '\\K', 'a{2,1}', '[z-a]', '(?<=a*)b', '\\'])(
    'refuses %s',
    (source) => {
      expect(() => compilePattern(source)).toThrow(PatternError)
    },
  )

  it.each([
    ['(a+)+$', `${'a'.repeat(200)}b`],
    ['(.*)*x', 'y'.repeat(8000)],
    ['^(\\w+\\s?)*$', `${'word '.repeat(100)}!`],
    ['(?:a|a)*b', 'a'.repeat(5000)],
    ['.*.*.*.*.*=', 'z'.repeat(8000)],
    ['(?=(a+))a*b\\1', 'a'.repeat(5000)],
  ])('gives %s up', (source, text) => {
    expect(() => match(source, text)).toThrow(PatternLimit)
  })
})
