import { describe, expect, it } from 'vitest'
import { FillBroker } from '#adapters/node/web-server/workers/fill-broker.ts'
import { createPageChanges } from '#adapters/node/web-server/workers/tell-page-change.ts'

const change = { id: '//a.test/page', edition: '1/1/1' }

/** Three workers; each answers what it is asked when `answer` is called. */
const setUp = (haveCopies = true) => {
  const said: string[] = []
  const waiting: (() => void)[] = []
  const workers = ['one', 'two', 'three'].map((name) => ({
    ask: (): Promise<null> => {
      said.push(`ask ${name}`)
      return new Promise((resolve) => waiting.push(() => resolve(null)))
    },
    tell: (): void => void said.push(`tell ${name}`),
  }))
  const fills = new FillBroker<string>()
  const changed = createPageChanges({ fills, alive: () => workers, haveCopies: () => haveCopies })
  const by = workers[0]
  if (by === undefined) throw new Error('no worker')
  const answer = (): void => waiting.splice(0).forEach((resolve) => resolve())
  return { changed, fills, by, said, answer }
}
/** Whether it is settled when all that is ready has run. */
const isSettled = async (work: Promise<unknown>): Promise<boolean> => {
  let settled = false
  void work.then(() => (settled = true))
  await new Promise((resolve) => setImmediate(resolve))
  return settled
}

describe('a page that one worker stored', () => {
  it('is told to the others without waiting where they have nothing of it', async () => {
    const { changed, by, said } = setUp()
    expect(await isSettled(changed(by, change, false))).toBe(true)
    expect(said).toEqual(['tell two', 'tell three'])
  })

  it.each([true, false])(
    'is awaited where they may take it to be nobody else’s (copies in memory: %s)',
    async (haveCopies) => {
      const { changed, fills, by, said, answer } = setUp(haveCopies)
      await fills.join('one', change.id)
      fills.settle('one', 1, 'uncacheable')
      const work = changed(by, change, false)
      expect(await isSettled(work)).toBe(false)
      expect(said).toEqual(['ask two', 'ask three'])
      answer()
      expect(await isSettled(work)).toBe(true)
      // They know now.
      expect(await isSettled(changed(by, change, false))).toBe(true)
    },
  )

  it('is awaited where it took the place of another, unless nobody has copies', async () => {
    const { changed, by, said, answer } = setUp()
    const work = changed(by, change, true)
    expect(await isSettled(work)).toBe(false)
    answer()
    expect(await isSettled(work)).toBe(true)
    const without = setUp(false)
    expect(await isSettled(without.changed(without.by, change, true))).toBe(true)
    expect([...said, ...without.said]).toEqual(['ask two', 'ask three'])
  })

  it('and one that was taken away says nothing of who may have it', async () => {
    const { changed, fills, by } = setUp()
    await fills.join('one', change.id)
    fills.settle('one', 1, 'uncacheable')
    expect(await isSettled(changed(by, { ...change, edition: null }, false))).toBe(true)
    expect(fills.stored(change.id)).toBe(true)
  })
})
