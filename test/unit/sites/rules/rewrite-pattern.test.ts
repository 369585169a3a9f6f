import { describe, expect, it } from 'vitest'
import {
  compilePattern,
  PatternError,
  PatternLimit,
} from '#handlers/sites/rewrite/pattern/pattern.ts'

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
    // What matches no character costs as much as what does.
    [`(?:${'^|'.repeat(900)}.)*X`, 'a'.repeat(400)],
    [`(?:${'(?:)|'.repeat(400)}.)*X`, 'a'.repeat(400)],
    [`(?:${'\\B'.repeat(900)}x|.)*X`, 'a'.repeat(1000)],
    [`(?:${'()'.repeat(900)}|.)*X`, 'a'.repeat(400)],
    [`(?m)(?:${'$'.repeat(900)}x|.)*X`, `${'a'.repeat(100)}\n`.repeat(10)],
    [`(?:(?<=${'a|'.repeat(900)}b).)*X`, 'c'.repeat(400)],
    // Captures are copied, and what a group found is compared.
    [`${'()'.repeat(900)}(?:(?>.))*X`, 'a'.repeat(400)],
    [`${'()'.repeat(900)}(?:(?=.).)*X`, 'a'.repeat(400)],
    ['^(.*)\\1X', 'a'.repeat(8000)],
    ['(?i)^(.*)\\1X', 'a'.repeat(8000)],
  ])('gives %s up', (source, text) => {
    expect(() => match(source, text)).toThrow(PatternLimit)
  })

  it('pays for captures before they are made', () => {
    const pattern = compilePattern('()'.repeat(1000))
    expect(() => pattern.match('', { left: 2000 })).toThrow(PatternLimit)
    const budget = { left: 10_000 }
    expect(pattern.match('', budget)).toHaveLength(1001)
    expect(budget.left).toBeLessThan(10_000 - 4000)
  })

  it('finds characters in sets of many ranges', () => {
    const many = compilePattern(`^[z\\d\\d0-9${'б-я'.repeat(200)}\u4e00-\u4eff^]+$`, true)
    const steps = { left: 1000 }
    expect(many.match('Z7бЯ\u4e01^', steps)).not.toBeNull()
    expect(many.match('\u4f00', steps)).toBeNull()
    expect(compilePattern('^[^[:^alpha:]]+$').match('abc', steps)).not.toBeNull()
    expect(compilePattern('^[^[:^alpha:]]+$').match('ab1', steps)).toBeNull()
  })

  it('are no longer than 2048 characters', () => {
    expect(match('a'.repeat(2048), 'b')).toBeNull()
    expect(() => compilePattern('a'.repeat(2049))).toThrow('longer than 2048 characters')
  })
})
