import type { BackupDeps } from '../creation.ts'
import { noteEnd } from '../note-end.ts'
import { BACKUP_OVERDUE, backupSubject } from '../operations.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import { isOverdue, newestBackups, readScheduleRecords, standingOf } from './standings.ts'

/** Tells of every account whose backup is overdue by its schedule, once until it has a newer one. */
export const tellOverdue = async (
  deps: BackupDeps & Pick<ServiceDeps, 'backupsConfig'>,
): Promise<void> => {
  const { store, clock } = deps
  const records = await readScheduleRecords(deps)
  if (records.rows.length === 0 && records.preset.what === 'none') return
  const newest = await newestBackups(deps)
  const nowMs = clock.nowMs()
  for (const account of (await store.listAccounts()).rows) {
    const standing = standingOf(account, records, nowMs)
    const since = newest.get(account.id) ?? null
    if (!isOverdue(standing, since, nowMs)) continue
    const told = await store.endedOperations('done', [BACKUP_OVERDUE], since ?? account.created_at)
    if (told.some(({ subject }) => subject === backupSubject(account.username))) continue
    await noteEnd(deps, BACKUP_OVERDUE, account, 'done', {})
  }
}
