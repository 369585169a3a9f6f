import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sampled } from '#test/support/sampled.ts'
import { FAMILIES } from './families/index.ts'
import { comparable } from './support/compare.ts'
import type { FamilyAsk } from './support/family.ts'
import { startTrial, type Trial } from './support/trial.ts'

const titleOf = ([target, options]: FamilyAsk): string => {
  const { differs: _, ...rest } = options ?? {}
  return Object.keys(rest).length === 0 ? target : `${target} ${JSON.stringify(rest)}`
}

test('95 of 100 requests are answered as before', () => {
  const asks = FAMILIES.flatMap((family) => family.asks)
  const differing = asks.filter(([, options]) => options?.differs !== undefined)
  expect(differing.length / asks.length).toBeLessThan(0.05)
})

describe.each(sampled('families of configurations', FAMILIES, { keep: 6 }))('$name', (family) => {
  let trial: Trial
  const seen = new Set<number>()
  beforeAll(async () => {
    trial = await startTrial(family)
  })
  afterAll(async () => {
    await trial?.stop()
  })

  test.each(family.asks.map((ask) => [titleOf(ask), ask] as const))('%s', async (_, ask) => {
    const answers = await trial.ask(ask)
    const source = comparable(answers.source, ask, family.host)
    const berth = comparable(answers.berth, ask, family.host)
    seen.add(source.status)
    const differs = ask[1]?.differs
    if (differs === undefined) expect(berth).toEqual(source)
    else {
      expect(berth, differs[1]).not.toEqual(source)
      expect(berth.status, differs[1]).toBe(differs[0])
    }
  })

  test('the comparison is a broad one', () => {
    expect(family.asks.length).toBeGreaterThanOrEqual(40)
    expect(seen.has(200) && seen.has(404)).toBe(true)
    expect(seen.size).toBeGreaterThanOrEqual(3)
  })
})
