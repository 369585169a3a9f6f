import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ProofRow, SnapshotRow } from '#handlers/ports/store/snapshot-store.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import type { StoreSubject } from './store-subject.ts'

const snapshot = (digit: string, more: Partial<SnapshotRow> = {}): SnapshotRow => ({
  account_id: 7,
  username: 'alice',
  location: 'local',
  id: digit.repeat(64),
  created_at: `2026-11-22 0${digit}:00:00`,
  scheduled: false,
  size_bytes: 1000,
  added_bytes: 10,
  files: 3,
  databases: [{ engine: 'mariadb', database: 'alice_shop' }],
  unread: 0,
  ...more,
})

const proof = (at: string, more: Partial<ProofRow> = {}): Omit<ProofRow, 'id'> => ({
  kind: 'check',
  account_id: 7,
  username: 'alice',
  location: 'local',
  snapshot: null,
  filename: null,
  at,
  seconds: 1.5,
  ok: true,
  figures: { share: { nth: 1, of: 12 }, bytes: 4096 },
  error: null,
  ...more,
})

/** Snapshots and proofs of backups, in every store. */
export const snapshotsStoreContract = (name: string, create: () => Promise<StoreSubject>): void => {
  describe(`snapshots in ${name}`, () => {
    let subject: StoreSubject
    let store: Store
    beforeAll(async () => {
      subject = await create()
      store = subject.store
    })
    afterAll(() => subject.dispose())

    test('are kept without their account, newest first, once in each place', async () => {
      const [one, two] = [snapshot('1'), snapshot('2', { scheduled: true, added_bytes: null })]
      const elsewhere = snapshot('1', { location: 'away' })
      for (const row of [one, two, elsewhere, { ...one, unread: 2 }]) await store.putSnapshot(row)
      await store.putSnapshot(snapshot('3', { account_id: 9 }))
      const { rows, total } = await store.listSnapshots({ accountId: 7 })
      expect(total).toBe(3)
      expect(rows[0]).toEqual(two)
      expect(rows).toContainEqual({ ...one, unread: 2 })
      const paged = await store.listSnapshots({
        accountId: 7,
        page: 1,
        perPage: 1,
        filters: { location: 'away' },
      })
      expect(paged).toEqual({ rows: [elsewhere], total: 1 })
      expect((await store.listSnapshots({ q: '333' })).rows).toHaveLength(1)
      expect(
        (await store.snapshotsAt('alice', 'local')).map(({ account_id }) => account_id),
      ).toEqual([9, 7, 7])
      const newest = await store.newestSnapshots()
      expect(newest).toEqual([elsewhere, two, snapshot('3', { account_id: 9 })])
      // What the schedule makes is nothing that the plan counts.
      expect((await store.accountUsage(7)).backups).toBe(2)
    })

    test('are deleted in one place', async () => {
      await store.deleteSnapshot('away', snapshot('1').id)
      await store.deleteSnapshot('away', snapshot('1').id)
      expect((await store.listSnapshots({ accountId: 7 })).total).toBe(2)
    })

    test('proofs are kept for a while, and the newest of each kind and place always', async () => {
      const old = '2025-01-01 00:00:00'
      await store.insertProof(proof('2026-01-01 00:00:00', { location: 'away', ok: false }), old)
      await store.insertProof(proof('2026-01-02 00:00:00'), old)
      await store.insertProof(proof('2026-01-03 00:00:00', { kind: 'trial', error: 'No.' }), old)
      expect((await store.latestProofs()).map(({ kind, location }) => [kind, location])).toEqual([
        ['check', 'away'],
        ['check', 'local'],
        ['trial', 'local'],
      ])
      await store.insertProof(proof('2026-01-04 00:00:00'), '2026-01-04 00:00:00')
      const { rows, total } = await store.listProofs({ accountId: 7 })
      expect(total).toBe(3)
      expect(rows[0]).toEqual({ ...proof('2026-01-04 00:00:00'), id: rows[0]?.id })
      expect(rows.map(({ at }) => at)).not.toContain('2026-01-02 00:00:00')
      const failed = await store.listProofs({ filters: { kind: 'trial' } })
      expect(failed.rows).toMatchObject([{ error: 'No.', ok: true }])
    })
  })
}
