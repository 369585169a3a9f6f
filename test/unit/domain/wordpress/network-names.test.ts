import { expect, test } from 'vitest'
import { parseSiteName } from '#handlers/domain/domains/site-name.ts'
import { nameAtNetwork, networkNames } from '#handlers/domain/wordpress/network-names.ts'

const COPY = 'staging.example.org'
const named = (domain: string, ...names: string[]): string[] => [
  ...networkNames({ domain, names }, COPY).values(),
]

test('each name is one label below that of the copy, so that one wildcard stands for all', () => {
  expect(
    named(
      ...(['example.org', 'shop.example.org', 'brand.test', 'a.b.example.org'] as const),
      ...['www.example.org', 'xn--mnchen-3ya.de', 'xn--mnchen-3ya.example.org', 'co.uk'],
    ),
  ).toEqual(
    [...['shop', 'brand-test', 'a-b', 'www', 'idn-mnchen-3ya-de', 'xn--mnchen-3ya', 'co-uk']].map(
      (label) => `${label}.${COPY}`,
    ),
  )
  expect(named('www.example.org', 'shop.example.org', 'example.org')).toEqual([
    ...[`shop.${COPY}`, `example-org.${COPY}`],
  ])
  // Those of others become labels, and nobody's domain.
  expect(named('example.org', 'bank.example', 'notexample.org')).toEqual([
    ...[`bank-example.${COPY}`, `notexample-org.${COPY}`],
  ])
})

test('no two have the same, nor one that somebody has', () => {
  expect(named('example.org', 'a-b.test', 'a.b.test', 'a-b-test.example.org')).toEqual([
    ...[`a-b-test.${COPY}`, `a-b-test-2.${COPY}`, `a-b-test-3.${COPY}`],
  ])
  const taken = networkNames(
    { domain: 'example.org', names: ['shop.example.org'] },
    COPY,
    (name) => name === `shop.${COPY}`,
  )
  expect([...taken.values()]).toEqual([`shop-2.${COPY}`])
})

test('names stay within their lengths, and every one can be hosted', () => {
  const label = 'a'.repeat(63)
  const long = [
    `${label}.${label}.example.org`,
    `${label}.${label}.example.net`,
    `${'b-'.repeat(30)}b.test`,
  ]
  for (const name of named('example.org', ...long, 'xn--a.xn--b.test'))
    expect(parseSiteName(name)).toBe(name)
  const copy = `${label}.${label}.${label}.example.org`
  expect(() => networkNames({ domain: 'example.org', names: [`${label}.test`] }, copy)).toThrow(
    /too long for the names/,
  )
})

test.each([
  '',
  ' ',
  'a b.test',
  'a.test:80',
  'a..test',
  '-a.test',
  '.a.test',
  'ä.test',
  'a_b.test',
  "a'.test",
  'a\n.test',
  'a/b.test',
  `${'a'.repeat(254)}`,
  '*.test',
])('refuses the name %j', (name) => {
  expect(() => named('example.org', name)).toThrow(/has the name "[ -~]*", which no visitor/)
})

test('thousands of names that would have the same take no time that grows with their square', () => {
  const names = Array.from(
    { length: 4096 },
    (_, n) =>
      `${[...n.toString(2).padStart(12, '0')].map((bit) => `a${bit === '1' ? '.' : '-'}`).join('')}z.test`,
  )
  const begun = performance.now()
  expect(new Set(named('example.org', ...names)).size).toBe(names.length)
  expect(performance.now() - begun).toBeLessThan(2000)
})

test('what was added in a copy gets its name below the network', () => {
  expect(nameAtNetwork(`new.${COPY}`, COPY, 'www.example.org')).toBe('new.example.org')
  expect(nameAtNetwork('brand.test', COPY, 'example.org')).toBe('brand.test')
  expect(nameAtNetwork(`not${COPY}`, COPY, 'example.org')).toBe(`not${COPY}`)
})
