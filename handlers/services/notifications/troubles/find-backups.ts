import { timestamp } from '../../../domain/text/timestamp.ts'
import type { AccountRow } from '../../../ports/store/records.ts'
import {
  BACKUP_CREATE,
  BACKUP_UPLOAD,
  isOverdue,
  newestOfEach,
  NO_BACKUPS,
  readScheduleRecords,
  SNAPSHOT_CREATE,
  standingOf,
} from '../../backups/backups.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import type { Found, Trouble } from '../../notify/notify.ts'

const SCOPE = 'backup:'
/** What nobody minded for so long is in the log; the schedule has tried again since. */
const FAILED_DAYS = 14

/** Backups that failed, are overdue, or could not be proved. `stands`: the troubles of before. */
export const findBackups = async (
  {
    store,
    clock,
    backupsConfig = NO_BACKUPS,
    stuck,
  }: Pick<ServiceDeps, 'store' | 'clock' | 'backupsConfig'> & { stuck: () => string[] },
  accounts: readonly AccountRow[],
  stands: ReadonlySet<string>,
): Promise<Found> => {
  const nowMs = clock.nowMs()
  const since = timestamp(nowMs - FAILED_DAYS * 86_400_000)
  const kinds = [BACKUP_CREATE, BACKUP_UPLOAD, SNAPSHOT_CREATE]
  const ended = await store.endedOperations('undone', kinds, since)
  // What failed and cannot be undone, as the target is away, has failed all the same. After a
  // start of the panel that is found out anew: what stands is not over meanwhile.
  const subjects = new Set(stuck())
  const open = (await store.openOperations()).filter(
    ({ kind, subject, data }) =>
      kinds.includes(kind) &&
      (subjects.has(subject) || stands.has(`${SCOPE}${String(data['account_id'])}:backup.failed`)),
  )
  const failed = [...ended, ...open].sort((a, b) => a.created_at.localeCompare(b.created_at))
  const backups = (await store.listBackups()).rows
  const snapshots = await store.newestSnapshots()
  const made = [...backups, ...snapshots]
  const newest = newestOfEach(made)
  const records = await readScheduleRecords({ store, backupsConfig })
  const proofs = (await store.latestProofs()).filter(({ ok }) => !ok)

  const troublesOf = (account: AccountRow): Trouble[] => {
    const { id: accountId, username } = account
    const about = { accountId, to: 'everybody' } as const
    const named = { username, account_id: accountId }
    const last = failed.findLast(
      ({ created_at, data }) =>
        data['account_id'] === accountId &&
        !made.some(
          (row) =>
            row.account_id === accountId &&
            row.location === data['location'] &&
            row.created_at >= created_at,
        ),
    )
    const at = newest.get(accountId)
    const overdue = isOverdue(standingOf(account, records, nowMs), at ?? null, nowMs)
    const doubtful = proofs.findLast(({ account_id, location, filename }) =>
      (filename === null ? snapshots : backups).some(
        (row) =>
          account_id === accountId && row.account_id === accountId && row.location === location,
      ),
    )
    const trouble = (message: Trouble['message'], data: Trouble['data']): Trouble => ({
      key: `${SCOPE}${accountId}:${message}`,
      message,
      data: { ...named, ...data },
      ...about,
    })
    return [
      ...(last === undefined ? [] : [trouble('backup.failed', { at: last.created_at })]),
      ...(overdue ? [trouble('backup.overdue', at === undefined ? {} : { newest: at })] : []),
      ...(doubtful === undefined ? [] : [trouble('backup.doubtful', { at: doubtful.at })]),
    ]
  }
  const active = accounts.filter(({ status }) => status === 'active')
  return { scopes: [SCOPE], troubles: active.flatMap(troublesOf) }
}
