import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CronJobRow, CronRunRow } from '#handlers/ports/store/cron-store.ts'
import type { AccountStatus } from '#handlers/ports/store/records.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { account, domain, NOW, operation } from './store-rows.ts'
import type { StoreSubject } from './store-subject.ts'

const FAR = '2099-01-01 00:00:00'

const job = (accountId: number, change: Partial<CronJobRow> = {}): Omit<CronJobRow, 'id'> => ({
  account_id: accountId,
  name: 'tidy',
  schedule: '* * * * *',
  time_zone: 'UTC',
  kind: 'shell',
  command: 'echo done',
  enabled: true,
  time_limit_secs: 60,
  overlap: 'skip',
  notify_after: 3,
  next_at: '2026-11-01 12:00:00',
  failures: 0,
  created_at: NOW,
  updated_at: NOW,
  ...change,
})
let runs = 0
const run = (jobId: number, change: Partial<CronRunRow> = {}): CronRunRow => ({
  id: `run-${runs++}`,
  job_id: jobId,
  due_at: '2026-11-01 12:00:00',
  by_hand: false,
  started_at: null,
  ended_at: null,
  outcome: 'running',
  code: null,
  output: '',
  ...change,
})

/** Cron jobs and their runs, in every store. */
export const cronStoreContract = (name: string, create: () => Promise<StoreSubject>): void => {
  describe(`cron jobs in ${name}`, () => {
    let subject: StoreSubject
    let store: Store
    let accountId = 0
    let accounts = 0
    const newAccount = async (status: AccountStatus = 'active'): Promise<number> => {
      const username = `cron${accounts++}`
      const made = await store.insertAccount(
        account(username, { status }),
        domain(`${username}.example`),
        operation(username, { state: 'done' }),
        { accounts: -1, domains: -1 },
      )
      if (typeof made === 'string') throw new Error(made)
      return made.account.id
    }
    const add = async (change: Partial<CronJobRow> = {}): Promise<CronJobRow> => {
      const made = await store.insertCronJob(job(accountId, change), null)
      if (made === 'limit') throw new Error(made)
      return made
    }
    const due = async (at: string): Promise<number[]> =>
      (await store.dueCronJobs(at, FAR))
        .filter(({ account_id }) => account_id === accountId)
        .map(({ id }) => id)
    beforeAll(async () => {
      subject = await create()
      store = subject.store
    })
    beforeEach(async () => {
      accountId = await newAccount()
    })
    afterAll(() => subject.dispose())

    test('are kept as they were given, changed, and removed with their runs', async () => {
      const made = await add({ command: '["php","a b.php"]', kind: 'command' })
      expect(await store.cronJob(made.id)).toEqual({
        ...made,
        ...job(accountId, {
          command: '["php","a b.php"]',
          kind: 'command',
        }),
      })
      await store.updateCronJob(made.id, { enabled: false, next_at: null, failures: 2 })
      expect(await store.cronJob(made.id)).toMatchObject({
        enabled: false,
        next_at: null,
        failures: 2,
      })
      await store.beginCronRun(run(made.id), undefined)
      await store.deleteCronJob(made.id)
      expect(await store.cronJob(made.id)).toBeNull()
      expect(await store.listCronRuns(made.id)).toEqual([])
      expect((await store.openCronRuns()).filter(({ job_id }) => job_id === made.id)).toEqual([])
    })
    test('are bounded at the moment of their insert', async () => {
      const made = await Promise.all(
        Array.from({ length: 5 }, () => store.insertCronJob(job(accountId), 2)),
      )
      expect(made.filter((one) => one !== 'limit')).toHaveLength(2)
    })
    test('are due at their time, where they are on and their account is active', async () => {
      const first = await add()
      const later = await add({ next_at: '2026-11-01 12:05:00' })
      await add({ enabled: false })
      await add({ next_at: null })
      expect(await due('2026-11-01 11:59:59')).toEqual([])
      expect(await due('2026-11-01 12:00:00')).toEqual([first.id])
      expect(await due('2026-11-01 12:05:00')).toEqual([first.id, later.id])
      const far = await add({ next_at: '2099-06-01 00:00:00' })
      expect(await due('2026-11-01 11:00:00')).toEqual([far.id])
      accountId = await newAccount('suspended')
      await add()
      expect(await due('2026-11-01 12:00:00')).toEqual([])
    })
    test('run once for a minute, and as often as asked by hand', async () => {
      const { id } = await add()
      const minute = '2026-11-01 12:00:00'
      const begun = await Promise.all(
        [1, 2, 3].map(() => store.beginCronRun(run(id, { due_at: minute }), '2026-11-01 12:01:00')),
      )
      expect(begun.filter(Boolean)).toHaveLength(1)
      expect((await store.cronJob(id))?.next_at).toBe('2026-11-01 12:01:00')
      for (let n = 0; n < 2; n++)
        expect(
          await store.beginCronRun(run(id, { due_at: minute, by_hand: true }), undefined),
        ).toBe(true)
      expect(await store.listCronRuns(id)).toHaveLength(3)
      expect(await store.beginCronRun(run(999_999_999), undefined)).toBe(false)
    })
    test('keep the newest of their runs, and those that run', async () => {
      const { id } = await add()
      const minutes = Array.from({ length: 5 }, (_, n) => `2026-11-01 12:0${n}:00`)
      for (const due_at of minutes)
        await store.beginCronRun(
          run(id, {
            due_at,
            ...(due_at === minutes[0] ? {} : { ended_at: due_at, outcome: 'ok' }),
          }),
          undefined,
        )
      for (const due_at of ['2026-11-01 13:00:00', '2026-11-01 13:01:00'])
        await store.beginCronRun(
          run(id, { due_at, ended_at: due_at, outcome: 'skipped' }),
          undefined,
        )
      await store.trimCronRuns(id, 2, 1)
      const left = await store.listCronRuns(id)
      expect(left.map(({ due_at }) => due_at)).toEqual([
        '2026-11-01 13:01:00',
        minutes[4],
        minutes[3],
        minutes[0],
      ])
      const open = (await store.openCronRuns()).filter(({ job_id }) => job_id === id)
      expect(open).toEqual([left[3]])
      await store.updateCronRun(left[3]?.id ?? '', {
        ended_at: NOW,
        outcome: 'failed',
        code: 3,
        output: 'it broke',
      })
      expect((await store.listCronRuns(id))[3]).toMatchObject({
        outcome: 'failed',
        code: 3,
        output: 'it broke',
      })
    })
    test('are listed with account and last run, filtered, searched and in pages', async () => {
      const a = await add({ name: 'a', command: 'php a.php' })
      const b = await add({ name: 'b', enabled: false })
      await store.beginCronRun(
        run(a.id, { due_at: '2026-11-01 12:00:00', outcome: 'ok' }),
        undefined,
      )
      await store.beginCronRun(
        run(a.id, { due_at: '2026-11-01 12:01:00', outcome: 'failed', started_at: NOW }),
        undefined,
      )
      const all = await store.listCronJobs({ accountId })
      expect(all).toMatchObject({
        total: 2,
        rows: [
          { id: a.id, last_outcome: 'failed', last_started_at: NOW, enabled: true },
          { id: b.id, last_outcome: null, last_started_at: null, enabled: false },
        ],
      })
      const ids = async (query: object): Promise<number[]> =>
        (await store.listCronJobs({ accountId, ...query })).rows.map(({ id }) => id)
      expect(await ids({ filters: { enabled: 'true' } })).toEqual([a.id])
      expect(await ids({ filters: { outcome: 'failed' } })).toEqual([a.id])
      expect(await ids({ q: 'a.php' })).toEqual([a.id])
      expect(await ids({ sort: 'name', order: 'desc', perPage: 1 })).toEqual([b.id])
    })
    test('go with their account', async () => {
      const { id } = await add()
      await store.beginCronRun(run(id), undefined)
      await store.deleteAccount(accountId)
      expect(await store.cronJob(id)).toBeNull()
    })
  })
}
