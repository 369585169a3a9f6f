import { expect, test } from 'vitest'
import { parseSiteName } from '#handlers/domain/domains/site-name.ts'
import {
  answersTo,
  nameFor,
  siteFileName,
  wildcardBase,
  wildcardOf,
} from '#handlers/domain/domains/wildcard-name.ts'

test.each([
  ['*.example.com', '*.example.com'],
  ['*.Shop.Example.COM.', '*.shop.example.com'],
  ['*.bücher.example', '*.xn--bcher-kva.example'],
  ['example.com', 'example.com'],
])('%s is the name %s', (typed, name) => {
  expect(parseSiteName(typed)).toBe(name)
})

test.each([
  '*',
  '*.',
  '*.com',
  '*.co.uk',
  '*.github.io',
  '*.s3.amazonaws.com',
  '*.*.example.com',
  '**.example.com',
  'a*.example.com',
  'a.*.example.com',
  '*.192.0.2.7',
  '*.a b.com',
  '*./x.com',
  `*.${'a.'.repeat(125)}com`,
])('%j is no name of a site', (typed) => {
  expect(() => parseSiteName(typed, 'field')).toThrow(/field/)
})

test('a wildcard stands for one label, in files for none', () => {
  expect([wildcardBase('*.a.test'), wildcardBase('a.test'), wildcardOf('x.a.test')]).toEqual([
    'a.test',
    null,
    '*.a.test',
  ])
  const names = ['a.test', '*.a.test']
  expect(
    ['a.test', 'x.a.test', 'x.y.a.test', 'b.test', 'xa.test'].map((one) => answersTo(names, one)),
  ).toEqual([true, true, false, false, false])
  expect([nameFor('*.a.test'), nameFor('a.test')]).toEqual(['any.a.test', 'a.test'])
  expect([siteFileName('*.a.test'), siteFileName('a.test')]).toEqual(['_wildcard.a.test', 'a.test'])
})
