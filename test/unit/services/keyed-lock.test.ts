import { expect, test } from 'vitest'
import { createKeyedLock } from '#handlers/services/journal/keyed-lock.ts'

test('urgent work overtakes what waits, in order of arrival, and a failure stops nothing', async () => {
  const lock = createKeyedLock()
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
