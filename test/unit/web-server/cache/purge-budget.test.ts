import { expect, it } from 'vitest'
import { createPurgeBudget } from '#adapters/node/web-server/control/purge-budget.ts'

it('an owner has so many marks an hour, whatever others use', () => {
  let nowMs = 0
  const budget = createPurgeBudget(() => nowMs)
  expect(budget.take('alice', 1500)).toBe(true)
  expect(budget.take('alice', 600)).toBe(false)
  expect(budget.take('alice', 500)).toBe(true)
  expect(budget.take('alice', 1)).toBe(false)
  expect(budget.take('bobby', 2000)).toBe(true)
  nowMs = 3_600_000
  expect(budget.take('alice', 2000)).toBe(true)
})
