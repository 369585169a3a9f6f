import { expect, test } from 'vitest'
import {
  assertUnbound,
  bondsOf,
  keysWithin,
  knownAs,
} from '#adapters/node/agent/wordpress/copies/foreign-keys.ts'
import type { ForeignKey } from '#adapters/node/agent/wordpress/copies/foreign-keys.ts'

const key = (table: string, to: string, more: Partial<ForeignKey> = {}): ForeignKey => ({
  ...{ table, to, name: `fk_${table}`, columns: ['a'], toColumns: ['id'], elsewhere: false },
  ...{ onUpdate: 'RESTRICT', onDelete: 'CASCADE', ...more },
})
const LOG = key('log', 'rights')

test('keys bind in both directions, but nothing to itself or to another database', () => {
  const bonds = bondsOf([LOG, key('tree', 'tree'), key('far', 'rights', { elsewhere: true })])
  expect([...bonds].map(([name, others]) => [name, ...others])).toEqual([
    ['log', 'rights'],
    ['rights', 'log'],
  ])
  expect(keysWithin([LOG, key('x', 'log')], ['log', 'rights'])).toEqual([LOG])
})

test.each<[string, ForeignKey[], ForeignKey[], string[], RegExp]>([
  ['a child alone', [LOG], [], ['log'], /fk_log binds the tables log and rights/],
  ['a parent alone', [LOG], [], ['rights'], /one alone would refer to rows of before/],
  ['another database', [key('log', 'x', { elsewhere: true })], [], ['log'], /another database/],
  ['what stays at the site', [LOG], [key('own', 'log')], ['log', 'rights'], /site's table own/],
])('refuses to exchange %s', (_, copy, live, tables, why) => {
  expect(() => assertUnbound(copy, live, tables)).toThrow(why)
})

test('lets go together what is bound, and what none of it concerns', () => {
  assertUnbound([LOG], [LOG, key('posts', 'gone')], ['log', 'rights', 'posts'])
  assertUnbound([LOG], [LOG], ['posts'])
  assertUnbound([], [key('log', 'users', { elsewhere: true })], ['users'])
})

test('names of keys are none that another push gives', () => {
  expect(knownAs('a', 1)).toMatch(/^berth_k_[0-9a-f]{12}_1$/)
  expect(knownAs('a', 1)).not.toBe(knownAs('b', 1))
})
