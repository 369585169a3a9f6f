import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '#handlers/ports/store/store.ts'
import type { StoreSubject } from './store-subject.ts'

const WINDOW = { windowSecs: 900, openSecs: 60 }

/** What every store keeps to when it counts attempts to log in. */
export const loginAttemptsStoreContract = (
  label: string,
  create: () => Promise<StoreSubject>,
): void => {
  describe(`login attempts: ${label}`, () => {
    let subject: StoreSubject
    let store: Store
    beforeAll(async () => {
      subject = await create()
      store = subject.store
    })
    afterAll(() => subject.dispose())

    const begin = (id: string, keys: Record<string, number>, atSecs = 1000) =>
      store.beginLoginAttempt({
        id,
        limits: Object.entries(keys).map(([key, most]) => ({ key, most })),
        atSecs,
        ...WINDOW,
      })
    const states = async (all: ReturnType<typeof begin>[]) =>
      (await Promise.all(all)).map(({ state }) => state).toSorted()

    test('lets as many through at once as the limit says, then says why not', async () => {
      const ids = Array.from({ length: 12 }, (_, index) => `parallel-${index}`)
      const all = ids.map((id) => begin(id, { parallel: 5 }))
      const began = (await Promise.all(all)).flatMap(({ state }, at) =>
        state === 'begun' ? [ids[at] ?? ''] : [],
      )
      expect(began).toHaveLength(5)
      expect(await states(all)).toEqual(
        [...Array(5).fill('begun'), ...Array(7).fill('busy')].toSorted(),
      )
      await Promise.all(began.map((id) => store.failLoginAttempt(id)))
      expect(await begin('later', { parallel: 5 }, 1010)).toEqual({
        state: 'full',
        oldestSecs: 1000,
      })
      // Whoever was refused is not counted.
      expect(await begin('after', { parallel: 6 }, 1010)).toEqual({ state: 'begun' })
    })

    test('notes an attempt under all keys or none', async () => {
      expect(await begin('a', { user: 5, address: 1 })).toEqual({ state: 'begun' })
      expect(await begin('b', { other: 1, address: 1 })).toEqual({ state: 'busy' })
      expect(await begin('c', { other: 1 })).toEqual({ state: 'begun' })
      await store.failLoginAttempt('a')
      expect(await begin('d', { third: 1, address: 1 })).toEqual({
        state: 'full',
        oldestSecs: 1000,
      })
      expect(await begin('e', { user: 1 })).toEqual({ state: 'full', oldestSecs: 1000 })
    })

    test('takes a right one back, and earlier failures with it, but nothing that is being checked', async () => {
      for (const id of ['f1', 'f2', 'right', 'checked']) await begin(id, { forget: 4, all: 50 })
      await store.failLoginAttempt('f1')
      await store.failLoginAttempt('f2')
      await store.endLoginAttempt('right', 'forget')
      expect((await begin('more', { forget: 1 })).state).toBe('busy')
      await store.failLoginAttempt('checked')
      expect(await begin('more', { forget: 1 })).toEqual({ state: 'full', oldestSecs: 1000 })
      // Of the other key only the right one itself is gone.
      expect((await begin('more', { all: 3 })).state).toBe('full')
      expect((await begin('more', { all: 4 })).state).toBe('begun')
    })

    test('counts what was never told as a failure, and forgets all after the window', async () => {
      await begin('lost', { lost: 1 })
      expect((await begin('next', { lost: 1 }, 1059)).state).toBe('busy')
      expect(await begin('next', { lost: 1 }, 1060)).toEqual({ state: 'full', oldestSecs: 1000 })
      expect((await begin('next', { lost: 1 }, 1899)).state).toBe('full')
      expect((await begin('next', { lost: 1 }, 1900)).state).toBe('begun')
    })
  })
}
