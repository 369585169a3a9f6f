import { describe, expect, it } from 'vitest'
import { createChangeQueue } from '#adapters/node/agent/domains/change-queue.ts'

describe('change queue', () => {
  it('gathers what arrives during a batch, in order', async () => {
    const batches: number[][] = []
    const put = createChangeQueue<number>(async (items) => {
      batches.push(items)
      await Promise.resolve()
    })
    await Promise.all([1, 2, 3, 4].map(put))
    expect(batches).toEqual([[1], [2, 3, 4]])
  })

  it('tries each alone when a batch fails', async () => {
    const done: number[] = []
    const put = createChangeQueue<number>(async (items) => {
      await Promise.resolve()
      if (items.includes(3)) throw new Error('three')
      done.push(...items)
    })
    const results = await Promise.allSettled([1, 2, 3, 4].map(put))
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
    expect(done).toEqual([1, 2, 4])
  })
})
