import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Store } from '#handlers/ports/store/store.ts'
import type { StoreSubject } from './store-subject.ts'

/** Events that are still to be told, in every store. */
export const eventsStoreContract = (name: string, create: () => Promise<StoreSubject>): void => {
  describe(`events in ${name}`, () => {
    let subject: StoreSubject
    let store: Store
    beforeAll(async () => {
      subject = await create()
      store = subject.store
    })
    afterAll(() => subject.dispose())

    const operation = (id: string, kind: string) => ({
      id,
      kind,
      subject: 'alice',
      state: 'open' as const,
      steps: [],
      data: { domain: 'alice.example' },
      created_at: '2026-11-22 01:00:00',
    })

    test('the end of an operation is noted once, and only where an event may come of it', async () => {
      await store.openOperation(operation('one', 'account.create'))
      await store.openOperation(operation('two', 'certificate.prune'))
      expect(await store.dueEvents(10, 10)).toEqual([])
      await store.closeOperation('one', 'done')
      await store.closeOperation('one', 'done')
      await store.closeOperation('two', 'done')
      expect(await store.dueEvents(10, 10)).toMatchObject([
        { ending: 'account.create:done', subject: 'alice', data: { domain: 'alice.example' } },
      ])
    })

    test('operations that ended are found by end, kind and time, oldest first', async () => {
      const at = (id: string, created_at: string) => ({
        ...operation(id, 'backup.create'),
        created_at,
      })
      for (const row of [
        at('late', '2026-11-24 00:00:00'),
        at('early', '2026-11-23 00:00:00'),
        at('before', '2026-11-21 00:00:00'),
        at('open', '2026-11-23 00:00:00'),
        operation('other', 'backup.upload'),
      ])
        await store.openOperation(row)
      for (const id of ['late', 'early', 'before']) await store.closeOperation(id, 'undone')
      await store.closeOperation('other', 'undone')
      const ended = async (state: 'done' | 'undone', kinds: string[], since: string) =>
        (await store.endedOperations(state, kinds, since)).map(({ id }) => id)
      expect(await ended('undone', ['backup.create'], '2026-11-22 01:00:00')).toEqual([
        'early',
        'late',
      ])
      expect(
        await ended('undone', ['backup.create', 'backup.upload'], '2026-11-22 01:00:00'),
      ).toEqual(['other', 'early', 'late'])
      expect(await ended('done', ['backup.create'], '2026-01-01 00:00:00')).toEqual([])
      // Each was noted; the rest of these tests begins anew.
      for (const { id, ending } of await store.dueEvents(10, 100))
        if (ending.startsWith('backup.')) await store.deleteEvent(id)
    })

    test('what was tried waits for its time, and goes when it is deleted', async () => {
      const [first] = await store.dueEvents(10, 10)
      const id = first?.id ?? 0
      await store.updateEvent(id, { tries: { hooks: -1, 'webhook a': 2 }, next_at_secs: 100 })
      expect(await store.dueEvents(99, 10)).toEqual([])
      expect(await store.dueEvents(100, 10)).toMatchObject([
        { id, tries: { hooks: -1, 'webhook a': 2 } },
      ])
      await store.deleteEvent(id)
      expect(await store.dueEvents(100, 10)).toEqual([])
    })

    test('are told in their order, so many at a time', async () => {
      for (const ending of ['backup.restore:done', 'account.quota:done', 'domain.create:done'])
        await store.insertEvent({ at: '2026-11-22 01:00:00', ending, subject: 'bob', data: {} })
      const due = await store.dueEvents(1, 2)
      expect(due.map(({ ending }) => ending)).toEqual(['backup.restore:done', 'account.quota:done'])
    })
  })
}
