import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createPushQueue } from '#adapters/node/agent/applications/git/push-queue.ts'
import { temporaryDirectory } from '#test/support/setups/temporary-directory.ts'

let file: string
beforeEach(() => {
  file = join(temporaryDirectory(), 'pushes.json')
  vi.useFakeTimers()
})
afterEach(() => void vi.useRealTimers())
const namesOf = (queue: ReturnType<typeof createPushQueue>): string[] =>
  queue.waiting([]).map(({ username, name, branch }) => `${username}/${name}@${branch}`)

it('keeps what was pushed until it is done, also for the next agent', () => {
  const queue = createPushQueue(file)
  queue.note('alice', 'shop', 'main')
  queue.note('alice', 'shop', 'next')
  queue.note('alice', 'shop', 'main')
  expect(namesOf(queue)).toEqual(['alice/shop@next', 'alice/shop@main'])
  const [next] = queue.waiting([])
  vi.advanceTimersByTime(100)
  const later = createPushQueue(file)
  expect(later.waiting([])).toEqual(queue.waiting([]))
  later.waiting([next?.id ?? ''])
  vi.advanceTimersByTime(100)
  expect(namesOf(createPushQueue(file))).toEqual(['alice/shop@main'])
})

it('keeps the newest of an account, and those of others', () => {
  const queue = createPushQueue(file)
  queue.note('bobby', 'blog', 'main')
  for (let at = 0; at < 30; at += 1) queue.note('alice', `shop-${at}`, 'main')
  const names = namesOf(queue)
  expect(names).toHaveLength(21)
  expect(names[0]).toBe('bobby/blog@main')
  expect(names.at(-1)).toBe('alice/shop-29@main')
})

it('begins anew where nobody can read what was kept', () => {
  for (const text of ['', '{', '[{"id":1}]']) {
    writeFileSync(file, text)
    expect(createPushQueue(file).waiting([])).toEqual([])
  }
})

it('goes on where nothing can be written', () => {
  const queue = createPushQueue(join(file, 'nowhere.json'))
  queue.note('alice', 'shop', 'main')
  vi.advanceTimersByTime(100)
  expect(namesOf(queue)).toEqual(['alice/shop@main'])
})
