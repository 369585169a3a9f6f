import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import { isGone } from '../journal/attempts.ts'
import { LOCAL } from '../../ports/host/backups/backups.ts'
import type { OperationRow } from '../../ports/store/records.ts'
import type { OperationKind, Step } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'

export const BACKUP_CREATE = 'backup.create'
export const BACKUP_UPLOAD = 'backup.upload'
export const BACKUP_DELETE = 'backup.delete'
/** Does nothing: its end tells that a backup which was due was not made. */
export const BACKUP_OVERDUE = 'backup.overdue'

type Deps = Pick<ServiceDeps, 'store' | 'host'>

/** What settling needs. */
export interface BackupData extends Record<string, unknown> {
  account_id: number
  /** Where it lies, or is sent from. Default: the panel's own machine. */
  host_id?: number
  username: string
  filename: string
  location: string
}

/** Subject of everything about an account's backups. Not the account: a suspension must not wait for a backup. */
export const backupSubject = (username: string): string => `backups:${username}`

const dataOf = (operation: OperationRow): BackupData => operation.data as BackupData

const removeCopy = async ({ host }: Deps, data: BackupData) => {
  const { username, filename, location, host_id = LOCAL_HOST } = data
  try {
    await host.of(host_id).backups.remove({ username, filename, location })
  } catch (error) {
    // A target that is configured no more.
    if (location === LOCAL || !isGone(error)) throw error
  }
}

/** A copy without a record is no backup: it goes. */
const undoCopy = (deps: Deps, operation: OperationRow): Step => ({
  name: 'remove',
  async run() {
    const data = dataOf(operation)
    const { rows } = await deps.store.listBackups({ accountId: data.account_id })
    const recorded = rows.some(
      ({ filename, location }) => filename === data.filename && location === data.location,
    )
    if (!recorded) await removeCopy(deps, data)
  },
})

const deletion = (deps: Deps, operation: OperationRow): Step[] => {
  const data = dataOf(operation)
  return [
    { name: 'file', run: () => removeCopy(deps, data) },
    { name: 'record', run: () => deps.store.deleteBackup(data.filename, data.location) },
  ]
}

/** How operations on backups are settled; a restore is the host's own to settle. */
export const backupOperationKinds = (deps: Deps): OperationKind[] => [
  { kind: BACKUP_CREATE, settle: 'undo', steps: (operation) => [undoCopy(deps, operation)] },
  { kind: BACKUP_UPLOAD, settle: 'undo', steps: (operation) => [undoCopy(deps, operation)] },
  { kind: BACKUP_DELETE, settle: 'finish', steps: (operation) => deletion(deps, operation) },
  { kind: BACKUP_OVERDUE, settle: 'finish', steps: () => [] },
]
