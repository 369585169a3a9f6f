import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, test } from 'vitest'
import type { Judge } from '#handlers/ports/judge.ts'
import { createKeyedLock } from '#handlers/services/journal/keyed-lock.ts'

test('urgent work overtakes what waits, in order of arrival, and a failure stops nothing', async () => {
  const lock = createKeyedLock(new AsyncLocalStorage<Judge | null>())
  const order: string[] = []
  let release = (): void => undefined
  const running = lock.run('a', () => new Promise<void>((resolve) => (release = resolve)))
  const work = (name: string, urgent?: boolean) =>
    lock.run(
      'a',
      async () => {
        order.push(name)
        throw new Error(name)
      },
      urgent,
    )
  const waiting = [work('first'), work('second'), work('close', true), work('remove', true)]
  await lock.run('b', async () => void order.push('other key'))
  release()
  await running
  expect((await Promise.allSettled(waiting)).every(({ status }) => status === 'rejected')).toBe(
    true,
  )
  expect(order).toEqual(['other key', 'close', 'remove', 'first', 'second'])
  expect(await lock.run('a', async () => 'free')).toBe('free')
})

test('who waited is judged when the turn comes, once, and not for turns within it', async () => {
  const judges = new AsyncLocalStorage<Judge | null>()
  const lock = createKeyedLock(judges)
  const told: string[] = []
  let allowed = true
  const judge = async (): Promise<void> => {
    told.push('judged')
    if (!allowed) throw new Error('not any more')
  }
  const work = (name: string) => async (): Promise<void> => {
    await lock.run('b', async () => void told.push(name))
    // What is begun goes on; what waits does not begin.
    allowed = false
    await lock.run('b', async () => void told.push(`${name} to its end`))
  }
  const asked = (name: string) => judges.run(judge, () => lock.run('a', work(name)))
  const [first, second] = [asked('first'), asked('second')]
  const nobody = lock.run('a', work('nobody'))
  await first
  await expect(second).rejects.toThrow('not any more')
  await nobody
  expect(told).toEqual([
    ...['judged', 'first', 'first to its end'],
    ...['judged', 'nobody', 'nobody to its end'],
  ])
  expect(lock.held()).toEqual([])
})
