import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BackupSchedule } from '#handlers/ports/store/backup-schedule-store.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { account, domain, NOW, operation, UNLIMITED } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

const LATER = '2026-11-02 12:00:00'
const SCHEDULE: BackupSchedule = {
  what: 'archive',
  every_hours: 24,
  window: { from: 22, to: 4 },
  places: ['local', "it's away"],
  retention: { last: 1, hourly: 0, daily: 7, weekly: 4, monthly: 6 },
}

/** Schedules of backups and their runs, in every store. */
export const backupSchedulesStoreContract = (
  name: string,
  create: () => Promise<StoreSubject>,
): void => {
  describe(`schedules of backups in ${name}`, () => {
    let subject: StoreSubject
    let store: Store
    let id = 0
    beforeAll(async () => {
      subject = await create()
      store = subject.store
      const made = await store.insertAccount(
        account('timed'),
        domain('timed.example'),
        operation('timed'),
        UNLIMITED,
      )
      if (typeof made === 'string') throw new Error(made)
      id = made.account.id
    })
    afterAll(() => subject.dispose())

    test('are a plan’s or an account’s, and nobody’s that is not there', async () => {
      const ofPlan = { owner: { plan: 'free' }, schedule: SCHEDULE, updated_at: NOW }
      const own = { owner: { accountId: id }, schedule: SCHEDULE, updated_at: NOW }
      for (const row of [own, ofPlan]) await store.putBackupSchedule(row)
      await store.putBackupSchedule({ ...own, owner: { accountId: 999 } })
      await store.putBackupSchedule({ ...own, owner: { plan: 'nothing' } })
      expect(await store.listBackupSchedules()).toEqual([ofPlan, own])
      const changed = {
        ...own,
        schedule: { ...SCHEDULE, what: 'snapshot' as const, window: null },
        updated_at: LATER,
      }
      await store.putBackupSchedule(changed)
      expect(await store.listBackupSchedules()).toEqual([ofPlan, changed])
      await store.deleteBackupSchedule({ plan: 'free' })
      await store.deleteBackupSchedule({ plan: 'free' })
      expect(await store.listBackupSchedules()).toEqual([changed])
    })

    test('a run begins once, and ends once', async () => {
      const run = { account_id: id, what: 'archive' as const, started_at: NOW }
      const begun = await Promise.all([1, 2, 3].map(() => store.beginBackupRun(run, null)))
      expect(begun.filter(Boolean)).toHaveLength(1)
      const row = {
        ...run,
        ended_at: null,
        outcome: 'running' as const,
        error: null,
        succeeded_at: null,
      }
      expect(await store.listBackupRuns()).toEqual([row])
      // Not while it runs, whatever is known.
      const next = { ...run, what: 'snapshot' as const, started_at: LATER }
      expect(await store.beginBackupRun(next, NOW)).toBe(false)
      await store.endBackupRun(id, { at: LATER, outcome: 'done', error: null })
      await store.endBackupRun(id, { at: LATER, outcome: 'failed', error: 'twice' })
      const done = { ...row, ended_at: LATER, outcome: 'done' as const, succeeded_at: NOW }
      expect(await store.listBackupRuns()).toEqual([done])
      expect(await store.beginBackupRun(next, LATER)).toBe(false)
      expect(await store.beginBackupRun(next, NOW)).toBe(true)
      await store.endBackupRun(id, { at: LATER, outcome: 'failed', error: 'No room.' })
      const failed = { ...next, ended_at: LATER, outcome: 'failed' as const, error: 'No room.' }
      expect(await store.listBackupRuns()).toEqual([{ ...failed, succeeded_at: NOW }])
      expect(await store.beginBackupRun({ ...run, account_id: 999 }, null)).toBe(false)
    })

    test('what the panel left behind is interrupted', async () => {
      await store.interruptBackupRuns(NOW)
      expect(await store.listBackupRuns()).toMatchObject([{ outcome: 'failed' }])
      const run = { account_id: id, what: 'archive' as const, started_at: '2026-11-03 00:00:00' }
      expect(await store.beginBackupRun(run, LATER)).toBe(true)
      await store.interruptBackupRuns('2026-11-03 01:00:00')
      expect(await store.listBackupRuns()).toMatchObject([
        { outcome: 'interrupted', ended_at: '2026-11-03 01:00:00', succeeded_at: NOW },
      ])
    })

    test('go with their account and their plan', async () => {
      const row = (await store.planByName('free'))!
      const { accounts: _, ...plan } = row
      await store.insertPlan({ ...plan, name: 'timed' })
      await store.putBackupSchedule({
        owner: { plan: 'timed' },
        schedule: SCHEDULE,
        updated_at: NOW,
      })
      await store.deletePlan('timed')
      await store.deleteAccount(id)
      expect(await store.listBackupSchedules()).toEqual([])
      expect(await store.listBackupRuns()).toEqual([])
    })
  })
}
