import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JobRow } from '#handlers/ports/jobs.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { waitFor } from '#test/support/waiting/wait-for.ts'
import { operation } from '../store/store-rows.ts'
import type { StoreSubject } from '../store/store-subject.ts'

const TTL_MS = 30_000

/** What every store keeps to when several instances of the panel share it. */
export const leasesStoreContract = (label: string, create: () => Promise<StoreSubject>): void => {
  describe(`leases: ${label}`, () => {
    let subject: StoreSubject
    let store: Store
    beforeAll(async () => {
      subject = await create()
      store = subject.store
    })
    afterAll(() => subject.dispose())

    const take = (of: string, holder: string, ttlMs = TTL_MS, urgentMs?: number) =>
      store.takeLease({
        subject: of,
        holder,
        ttlMs,
        ...(urgentMs === undefined ? {} : { urgentMs }),
      })

    /** Waits until the lease has run out. */
    const takeOver = (of: string, holder: string) =>
      waitFor(async () => {
        const term = await take(of, holder)
        if (term === null) throw new Error(`${of} is still held`)
        return term
      })

    test('gives a lease to one of all who ask, and to no other while it lasts', async () => {
      const all = Array.from({ length: 20 }, (_, at) => take('raced', `racer-${at}`))
      const terms = (await Promise.all(all)).flatMap((term, at) =>
        term === null ? [] : [[at, term] as const],
      )
      expect(terms).toHaveLength(1)
      const [at, term] = terms[0]!
      expect(await take('raced', 'late')).toBeNull()
      // Its own is no obstacle to a holder, who may have crashed; but it is another term.
      expect(await take('raced', `racer-${at}`)).toBe(term + 1)
    })

    test('counts terms over all subjects, also past released ones', async () => {
      const first = (await take('one', 'a'))!
      const second = (await take('two', 'b'))!
      expect(second).toBeGreaterThan(first)
      await store.releaseLease('a', first)
      await store.releaseLease('b', second)
      const third = (await take('one', 'b'))!
      expect(third).toBeGreaterThan(second)
      // Another's, or an earlier term: no effect.
      await store.releaseLease('a', third)
      await store.releaseLease('b', first)
      expect(await take('one', 'a')).toBeNull()
      await store.releaseLease('b', third)
      expect(await take('one', 'a')).toBeGreaterThan(third)
    })

    test('lets a lease end by itself, and renews what is still held', async () => {
      const short = (await take('short', 'a', 1))!
      const long = (await take('long', 'a'))!
      const taken = await takeOver('short', 'b')
      expect(taken).toBeGreaterThan(short)
      expect(await store.renewLeases('a', [short, long], TTL_MS)).toEqual([long])
      expect(await store.renewLeases('b', [long], TTL_MS)).toEqual([])
      expect(await store.renewLeases('a', [], TTL_MS)).toEqual([])
      expect(await store.subjectsOfOthers('a')).toContain('short')
      expect(await store.subjectsOfOthers('a')).not.toContain('long')
    })

    test('raises the term of a lease above what a host has seen, for its holder alone', async () => {
      const first = (await take('raised', 'a'))!
      const high = (await store.raiseLease('a', first, first + 1000))!
      expect(high).toBe(first + 1001)
      // What is below the highest of all counts on from there.
      const other = (await take('unraised', 'b'))!
      expect(other).toBe(high + 1)
      expect(await store.raiseLease('a', high, 3)).toBe(other + 1)
      expect(await store.renewLeases('a', [first, high, other + 1], TTL_MS)).toEqual([other + 1])
      // Its own earlier term, another's, and one that has ended: none of them.
      expect(await store.raiseLease('a', high, 3)).toBeNull()
      expect(await store.raiseLease('b', other + 1, 3)).toBeNull()
      const ended = (await take('ended', 'a', 1))!
      await takeOver('ended', 'b')
      expect(await store.raiseLease('a', ended, 10 ** 6)).toBeNull()
      await store.releaseLease('a', other + 1)
      expect(await store.raiseLease('a', other + 1, 10 ** 6)).toBeNull()
    })

    test('keeps the next turn for whoever cannot wait', async () => {
      const term = (await take('turns', 'a'))!
      expect(await take('turns', 'b')).toBeNull()
      expect(await take('turns', 'c', TTL_MS, 60_000)).toBeNull()
      await store.releaseLease('a', term)
      expect(await take('turns', 'b')).toBeNull()
      expect(await take('turns', 'a')).toBeNull()
      const urgent = (await take('turns', 'c', TTL_MS, 60_000))!
      expect(urgent).toBeGreaterThan(term)
      // That was its one turn.
      await store.releaseLease('c', urgent)
      expect(await take('turns', 'b')).toBeGreaterThan(urgent)
    })

    test('lets two who wait urgently have it one after the other', async () => {
      const term = (await take('pressed', 'a'))!
      expect(await take('pressed', 'c', TTL_MS, 60_000)).toBeNull()
      expect(await take('pressed', 'd', TTL_MS, 60_000)).toBeNull()
      expect(await store.isUrged('a', 'pressed')).toBe(true)
      expect(await store.isUrged('c', 'pressed')).toBe(false)
      await store.releaseLease('a', term)
      // Whoever looks first, it is the turn of who was the first to say so.
      expect(await take('pressed', 'd', TTL_MS, 60_000)).toBeNull()
      const first = (await take('pressed', 'c', TTL_MS, 60_000))!
      expect(first).toBeGreaterThan(term)
      await store.releaseLease('c', first)
      expect(await take('pressed', 'd', TTL_MS, 60_000)).toBeGreaterThan(first)
    })

    test('writes steps and ends of an operation only for the term that holds its subject', async () => {
      const row = { ...operation('fenced'), id: 'fenced' }
      await store.openOperation(row)
      const listed = async () =>
        (await store.unattendedOperations()).some(({ id }) => id === row.id)
      expect(await listed()).toBe(true)
      const old = (await take('fenced', 'a', 1))!
      expect(await store.recordStep(row.id, 'first', old)).toBe(true)
      const now = await takeOver('fenced', 'b')
      expect(await listed()).toBe(false)
      const events = (await store.dueEvents(Number.MAX_SAFE_INTEGER, 1000)).length
      expect(await store.recordStep(row.id, 'late', old)).toBe(false)
      expect(await store.closeOperation(row.id, 'done', old)).toBe(false)
      expect((await store.dueEvents(Number.MAX_SAFE_INTEGER, 1000)).length).toBe(events)
      const open = (await store.openOperations()).find(({ id }) => id === row.id)
      expect(open?.steps).toEqual(['first'])
      expect(await store.recordStep(row.id, 'second', now)).toBe(true)
      expect(await store.closeOperation(row.id, 'undone', now)).toBe(true)
      expect(await store.closeOperation(row.id, 'undone', now)).toBe(false)
    })

    test('leaves jobs of living instances to them', async () => {
      const row = (id: string): Omit<JobRow, 'change'> => ({
        ...{ id, kind: 'account.create', subject: 'alice', account_id: null, reseller_id: null },
        ...{ state: 'running', progress: 0, step: null, detail: null, result: null, error: null },
        ...{ status: null, created_at: '2026-01-01 00:00:00', started_at: null, finished_at: null },
      })
      for (const instance of ['me', 'living', 'ended', undefined])
        await store.insertJob(row(`of ${instance}`), '2000-01-01 00:00:00', { instance })
      await store.beat('living')
      const left = await store.unfinishedJobs('2027-01-01 00:00:00', {
        instance: 'me',
        withinMs: 30_000,
      })
      expect(left.map(({ id }) => id).toSorted()).toEqual(['of ended', 'of me', 'of undefined'])
      expect(await store.jobById('of me')).not.toHaveProperty('instance')
      expect(await store.unfinishedJobs('2027-01-01 00:00:00')).toHaveLength(4)
    })

    test('tells its own time, to the millisecond', async () => {
      const before = await store.storeTimeMs()
      expect(Number.isSafeInteger(before)).toBe(true)
      expect(Math.abs(before - Date.now())).toBeLessThan(60_000)
      await waitFor(async () => expect(await store.storeTimeMs()).toBeGreaterThan(before))
    })

    test('knows which instances live', async () => {
      await Promise.all(['two', 'one', 'two'].map((id) => store.beat(id)))
      expect(await store.livingInstances(30_000)).toEqual(expect.arrayContaining(['one', 'two']))
      await waitFor(async () => expect(await store.livingInstances(0)).toEqual([]))
      await store.beat('one')
      expect(await store.livingInstances(30_000)).toEqual(expect.arrayContaining(['one', 'two']))
    })
  })
}
