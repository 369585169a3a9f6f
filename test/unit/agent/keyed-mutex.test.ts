import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createKeyedMutex } from '#adapters/node/agent/keyed-mutex.ts'

describe('keyed mutex', () => {
  it('runs one key in order and others side by side', async () => {
    const lock = createKeyedMutex()
    const events: string[] = []
    const work = (key: string, name: string) =>
      lock(key, async () => {
        events.push(`+${name}`)
        await delay(5)
        events.push(`-${name}`)
      })
    await Promise.all([work('a', 'a1'), work('a', 'a2'), work('b', 'b1')])
    expect(events.indexOf('-a1')).toBeLessThan(events.indexOf('+a2'))
    expect(events.indexOf('+b1')).toBeLessThan(events.indexOf('-a1'))
  })

  it('goes on after a failure', async () => {
    const lock = createKeyedMutex()
    const failing = lock('a', async () => {
      throw new Error('once')
    })
    const next = lock('a', async () => 'next')
    await expect(failing).rejects.toThrow('once')
    expect(await next).toBe('next')
  })

  it('lets work take the key that it holds, but not what it left behind', async () => {
    const lock = createKeyedMutex()
    const events: string[] = []
    let late: Promise<void> = Promise.resolve()
    await lock('a', async () => {
      await lock('b', () => lock('a', async () => void events.push('nested')))
      late = delay(5).then(() => lock('a', async () => void events.push('late')))
    })
    await lock('a', async () => {
      await delay(20)
      events.push('second')
    })
    await late
    expect(events).toEqual(['nested', 'second', 'late'])
  })
})
