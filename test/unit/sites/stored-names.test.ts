import { expect, test } from 'vitest'
import { MAX_STORED_NAMES, StoredNames } from '#handlers/sites/page-cache/stored-names.ts'
import { vhostOf } from '#test/contract/sites/sites-harness.ts'

const wild = vhostOf({ domain: '*.a.test', aliases: [] })
const mixed = vhostOf({ domain: 'b.test', aliases: ['www.b.test', '*.b.test'] })

test('names that are written down are stored at once, others when they come again', () => {
  const names = new StoredNames(() => 0)
  expect([names.ask(mixed, 'b.test'), names.ask(mixed, 'www.b.test')]).toEqual([true, true])
  expect([names.may(mixed, 'x.b.test'), names.ask(mixed, 'x.b.test')]).toEqual([false, false])
  expect([names.ask(mixed, 'x.b.test'), names.may(mixed, 'x.b.test')]).toEqual([true, true])
  expect(names.ask(vhostOf(), 'www.a.test')).toBe(true)
})

test('a hundred thousand names, asked however often, are stored under few, and take nothing of others', () => {
  let nowMs = 0
  const names = new StoredNames(() => nowMs)
  let stored = 0
  for (let n = 0; n < 100_000; n++) if (names.ask(wild, `n${n}.a.test`)) stored++
  expect(stored).toBe(0)
  const kept = new Set<string>()
  for (let n = 0; n < 100_000; n++)
    for (let again = 0; again < 3; again++)
      if (names.ask(wild, `m${n}.a.test`)) kept.add(`m${n}.a.test`)
  expect(kept.size).toBe(MAX_STORED_NAMES)
  names.ask(mixed, 'x.b.test')
  expect(names.ask(mixed, 'x.b.test')).toBe(true)
  // Names that nobody asks for any more make room.
  nowMs = 3_600_001
  names.ask(wild, 'late.a.test')
  expect(names.ask(wild, 'late.a.test')).toBe(true)
})
