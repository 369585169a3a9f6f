import { expect, it } from 'vitest'
import { createSharedTurns } from '#handlers/services/cron/shared-turns.ts'

/** Begins what lasts until it is let go; tells which of them began. */
const runsOf = () => {
  const turns = createSharedTurns()
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const taken = new Map<string, Promise<boolean>>()
  const begin = (accountId: number, runId: string): void => {
    const work = (): Promise<void> => {
      begun.push(runId)
      return new Promise((end) => ends.set(runId, end))
    }
    taken.set(runId, turns.take(accountId, runId, work))
  }
  const end = async (runId: string): Promise<void> => {
    ends.get(runId)?.()
    await taken.get(runId)
    await Promise.resolve()
  }
  return { turns, begun, begin, end, taken }
}

it('one account has five at once, however many it asks for', async () => {
  const { begun, begin, end } = runsOf()
  for (let n = 0; n < 30; n++) begin(1, `a${n}`)
  expect(begun).toEqual(['a0', 'a1', 'a2', 'a3', 'a4'])
  await end('a1')
  expect(begun.at(-1)).toBe('a5')
})

it('an account of which none runs never waits, though all places are taken', () => {
  const { begun, begin } = runsOf()
  for (let account = 1; account <= 5; account++)
    for (let n = 0; n < 30; n++) begin(account, `${account}-${n}`)
  // Twenty, and one of the fifth account.
  expect(begun).toHaveLength(21)
  expect(begun.at(-1)).toBe('5-0')
  begin(6, 'last')
  expect(begun.at(-1)).toBe('last')
})

it('who waits longest comes first among those that may', async () => {
  const { begun, begin, end } = runsOf()
  for (let account = 1; account <= 4; account++)
    for (let n = 0; n < 6; n++) begin(account, `${account}-${n}`)
  begin(5, '5-0')
  begin(5, '5-1')
  await end('4-0')
  expect(begun.at(-1)).toBe('5-0')
  await end('2-0')
  // 1 has its five, so its sixth stands back.
  expect(begun.at(-1)).toBe('2-5')
})

it('what waits can be dropped, and is told', async () => {
  const { turns, begun, begin, taken } = runsOf()
  for (let n = 0; n < 6; n++) begin(1, `a${n}`)
  expect([turns.drop('a0'), turns.drop('a5'), turns.drop('a5')]).toEqual([false, true, false])
  expect(await taken.get('a5')).toBe(false)
  expect(begun).not.toContain('a5')
})
