import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JobRow } from '#handlers/ports/jobs.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import type { StoreSubject } from '../store/store-subject.ts'

/** What every store keeps to when it bounds what all instances of the panel do together. */
export const ratesStoreContract = (label: string, create: () => Promise<StoreSubject>): void => {
  describe(`bounds over instances: ${label}`, () => {
    let subject: StoreSubject
    let store: Store
    beforeAll(async () => {
      subject = await create()
      store = subject.store
    })
    afterAll(() => subject.dispose())

    const count = (key: string, most: number, atSecs: number) =>
      store.countRate({ key, most, windowSecs: 100, atSecs })

    test('counts exactly as many events as the bound says, also at once', async () => {
      const all = await Promise.all(Array.from({ length: 12 }, () => count('at once', 5, 1000)))
      expect(all.filter((one) => one === null)).toHaveLength(5)
      expect(all.filter((one) => one?.oldestSecs === 1000)).toHaveLength(7)
      expect(await count('another', 1, 1000)).toBe(null)
    })

    test('forgets what was before the window, and does not count what it refused', async () => {
      expect(await count('window', 2, 1000)).toBe(null)
      expect(await count('window', 2, 1050)).toBe(null)
      expect(await count('window', 2, 1099)).toEqual({ oldestSecs: 1000 })
      expect(await count('window', 2, 1100)).toBe(null)
      expect(await count('window', 2, 1101)).toEqual({ oldestSecs: 1050 })
    })

    const begin = (id: string, startedBy: string, most: number, mostOfAll: number) => {
      const row: Omit<JobRow, 'change'> = {
        ...{ id, kind: 'account.create', subject: 'a', account_id: null, reseller_id: null },
        ...{ state: 'queued', progress: 0, step: null, detail: null, result: null, error: null },
        ...{ status: null, created_at: '2026-01-01 00:00:00', started_at: null, finished_at: null },
      }
      const bounds = { startedBy, most, mostOfAll }
      return store.insertJob(row, '2000-01-01 00:00:00', { bounds })
    }

    test('opens no more jobs of a user, and in all, than may be open', async () => {
      const many = (startedBy: string, most: number, mostOfAll: number) =>
        Promise.all(
          Array.from({ length: 6 }, (_, at) =>
            begin(`${startedBy} ${at}`, startedBy, most, mostOfAll),
          ),
        )
      expect((await many('user:1', 4, 100)).filter(Boolean)).toHaveLength(4)
      expect((await many('user:2', 4, 6)).filter(Boolean)).toHaveLength(2)
      expect(await store.jobById('user:2 5')).toBe(null)
      expect(await begin('one more', 'user:1', 4, 100)).toBe(false)
      const finished_at = '2026-01-01 00:00:01'
      await store.updateJob('user:1 0', { state: 'done', finished_at })
      expect(await begin('one more', 'user:1', 4, 100)).toBe(true)
      expect(await store.jobById('one more')).not.toHaveProperty('started_by')
    })

    test('keeps names of the panel that were used lately, the latest of them', async () => {
      for (const [at, name] of ['one', 'two', 'three'].entries())
        await store.notePanelName(`${name}.example.com`, 1000 + at, 3)
      await store.notePanelName('one.example.com', 1010, 3)
      // A clock that is behind takes nothing back.
      await store.notePanelName('one.example.com', 900, 3)
      expect(await store.panelNames(1002)).toEqual(['one.example.com', 'three.example.com'])
      await store.notePanelName('four.example.com', 1011, 3)
      expect(await store.panelNames(0)).toEqual(
        ['one', 'four', 'three'].map((name) => `${name}.example.com`).toSorted(),
      )
    })
  })
}
