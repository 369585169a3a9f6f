import { expect, it } from 'vitest'
import { magentoTags } from '#handlers/sites/page-cache/magento-tags.ts'

const one = (tag: string): string => `((^|,)${tag}(,|$))`

it.each<[string, string[] | null]>([
  [one('cat_p_17'), ['cat_p_17']],
  [`${one('cat_p_17')}|${one('cms_b')}|${one('cat_p_17')}`, ['cat_p_17', 'cms_b']],
  [Array.from({ length: 200 }, (_, n) => one(`t${n}`)).join('|'), expect.any(Array)],
  [Array.from({ length: 201 }, (_, n) => one(`t${n}`)).join('|'), null],
  ['.*', null],
  ['', null],
  ['cat_p_17', null],
  [one(''), null],
  [one('a|b'), null],
  [one('(a+)+'), null],
  [`${one('a')}|`, null],
  [`${one('a')}${one('b')}`, null],
  [`${one('a')}|.*`, null],
  [`|${one('a')}`, null],
  ['((^|,)a(,|$)', null],
  ['((^|,)'.repeat(10_000), null],
])('the pattern %s names %j', (pattern, tags) => {
  expect(magentoTags(pattern)).toEqual(tags)
})
