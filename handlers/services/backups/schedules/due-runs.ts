import { slotAt } from '../../../domain/backups/slots.ts'
import { timestamp } from '../../../domain/text/timestamp.ts'
import { isAppError, unavailable } from '../../../errors.ts'
import { LOCAL } from '../../../ports/host/backups/backups.ts'
import type { BackupSchedule } from '../../../ports/store/backup-schedule-store.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import type { Backups } from '../backups.ts'
import { noteFailure } from '../note-end.ts'
import type { BackupDeps } from '../creation.ts'
import { createWaiting } from '../waiting.ts'
import { targetNamed } from '../target-named.ts'
import { NO_BACKUPS, readScheduleRecords, standingOf, type Standing } from './standings.ts'

/** What the schedules ask for. */
export interface DueRuns {
  /**
   * Makes the backups that are due, so many at a time, and thins what is there; resolves when
   * none is left. Called again meanwhile it begins what became due since, where there is
   * room. After `signal` nothing more is begun.
   */
  runDue(signal?: AbortSignal): Promise<void>
}

const whyOf = (error: unknown): string =>
  isAppError(error) ? error.message : 'The cause is in the panel log.'

export const createDueRuns = (
  deps: BackupDeps &
    Pick<ServiceDeps, 'backupsConfig'> & {
      backups: Pick<Backups, 'scheduled' | 'thin' | 'cleanup'>
      snapshots: Pick<Snapshots, 'create' | 'thin'>
    },
): DueRuns => {
  const { store, host, clock, log, backups, snapshots, backupsConfig = NO_BACKUPS } = deps
  const waiting = createWaiting(deps)
  const active = new Map<number, Promise<void>>()
  /** Accounts that another program has just taken. */
  let taken = new Set<number>()
  let settled = false
  let cleanedSlot = 0
  let round: Promise<void> | null = null
  let filling: Promise<unknown> = Promise.resolve()

  /** Those that are due, the longest waiting first. */
  const dueNow = async (): Promise<Standing[]> => {
    const records = await readScheduleRecords(deps)
    if (records.rows.length === 0 && records.preset.what === 'none') return []
    const nowMs = clock.nowMs()
    // A backup of nothing would be the newest one.
    const empty = await waiting.ids()
    return (await store.listAccounts()).rows
      .filter(({ id }) => !active.has(id) && !taken.has(id) && !empty.has(id))
      .map((account) => standingOf(account, records, nowMs))
      .filter(({ nextMs }) => nextMs !== null && nextMs <= nowMs)
      .sort((a, b) => (a.nextMs ?? 0) - (b.nextMs ?? 0))
  }

  const placesOf = async ({ account, source, schedule }: Standing): Promise<string[]> => {
    if (source !== 'default') return schedule.places
    const target = await targetNamed(host.of(account.host_id).backups, null)
    return target === null ? [LOCAL] : [LOCAL, target]
  }

  const makeSnapshots = async (accountId: number, places: readonly string[]): Promise<void> => {
    const failures: string[] = []
    for (const place of places)
      try {
        await snapshots.create(accountId, place, { scheduled: true })
      } catch (error) {
        log.error('a scheduled snapshot failed', { place, error: String(error) })
        failures.push(`${place}: ${whyOf(error)}`)
      }
    if (failures.length > 0) throw unavailable(failures.join(' '))
  }

  const thin = async (
    { account, source, schedule }: Standing,
    places: readonly string[],
  ): Promise<void> => {
    // The default removes by age, all accounts' together.
    if (source === 'default') return
    const keep: BackupSchedule['retention'] = schedule.retention
    try {
      await backups.thin(account.id, keep)
      if (schedule.what === 'snapshot')
        for (const place of places) await snapshots.thin(account.id, place, keep)
    } catch (error) {
      const { username } = account
      log.error('old backups were not removed', { username, error: String(error) })
    }
  }

  const make = async (standing: Standing): Promise<void> => {
    const { account, schedule } = standing
    const begunMs = clock.nowMs()
    const end = (outcome: 'done' | 'failed', error: string | null): Promise<void> =>
      store.endBackupRun(account.id, { at: timestamp(clock.nowMs()), outcome, error })
    try {
      const places = await placesOf(standing)
      if (schedule.what === 'snapshot') await makeSnapshots(account.id, places)
      else await backups.scheduled(account.id, places)
      await end('done', null)
      await thin(standing, places)
    } catch (error) {
      const { username } = account
      log.error('a scheduled backup failed', { username, error: String(error) })
      await end('failed', whyOf(error))
      await noteFailure(deps, account, begunMs)
    }
  }

  /** Begins what is due, as far as there is room. */
  const fill = (signal?: AbortSignal): Promise<void> => {
    const work = async (): Promise<void> => {
      while (active.size < backupsConfig.at_once && signal?.aborted !== true) {
        const [standing] = await dueNow()
        if (standing === undefined) return
        const { account, schedule, run } = standing
        const what = schedule.what === 'snapshot' ? 'snapshot' : 'archive'
        const started_at = timestamp(clock.nowMs())
        const begun = { account_id: account.id, what, started_at } as const
        if (!(await store.beginBackupRun(begun, run?.started_at ?? null))) {
          taken.add(account.id)
          continue
        }
        const made = make(standing)
          .catch((error: unknown) =>
            log.error('a scheduled backup was not noted', { error: String(error) }),
          )
          .finally(() => active.delete(account.id))
        active.set(account.id, made)
      }
    }
    const next = filling.then(work)
    filling = next.catch(() => undefined)
    return next
  }

  /** Once in each of the default's slots: what is older than it says, but for accounts with a schedule of their own. */
  const cleanUp = async (): Promise<void> => {
    const { rows, preset } = await readScheduleRecords(deps)
    if (preset.what === 'none') return
    const slot = slotAt(preset, clock.nowMs())
    if (slot === cleanedSlot) return
    cleanedSlot = slot
    const nowMs = clock.nowMs()
    const records = { rows, preset, runs: new Map() }
    const others = (await store.listAccounts()).rows
      .filter((account) => standingOf(account, records, nowMs).source !== 'default')
      .map(({ id }) => id)
    await backups.cleanup(backupsConfig.retention_days, new Set(others))
  }

  const runAll = async (signal?: AbortSignal): Promise<void> => {
    taken = new Set()
    if (!settled) await store.interruptBackupRuns(timestamp(clock.nowMs()))
    settled = true
    await fill(signal)
    while (active.size > 0) {
      await Promise.race(active.values())
      await fill(signal)
    }
    if (signal?.aborted !== true) await cleanUp()
  }

  return {
    async runDue(signal) {
      if (round !== null) return fill(signal)
      round = runAll(signal)
      try {
        await round
      } finally {
        round = null
      }
    },
  }
}
