import type { CronSettings } from '../../../ports/store/cron-store.ts'
import type { OperationRow } from '../../../ports/store/records.ts'
import type { Store } from '../../../ports/store/store.ts'
import { isGone } from '../../journal/attempts.ts'
import type { OperationKind } from '../../journal/journal.ts'
import type { SettingsRecord } from './settings-record.ts'

export const BACKUP_SETTINGS = 'backup.settings'

/** What settling and undoing need. */
export interface SettingsData extends Record<string, unknown> {
  account_id: number
  username: string
  /** Of the archive; absent: it was a snapshot. */
  filename?: string
  snapshot?: string
  location: string
  is_undo: boolean
  /** What there was before. */
  before: SettingsRecord
  /** Cron jobs that were not there before. */
  made: CronSettings[]
}

/** What an operation of the kind noted. */
export const settingsData = ({ data }: Pick<OperationRow, 'data'>): SettingsData =>
  data as SettingsData

/** Half the settings of a backup are none: what there was before comes back. */
export const settingsOperationKind = (
  apply: (
    accountId: number,
    username: string,
    what: { record: SettingsRecord; unmake: readonly CronSettings[] },
  ) => Promise<unknown>,
  store: Pick<Store, 'accountById'>,
): OperationKind => ({
  kind: BACKUP_SETTINGS,
  settle: 'undo',
  steps: (operation) => [
    {
      name: 'before',
      async run() {
        const { account_id: id, username, before, made } = settingsData(operation)
        const account = await store.accountById(id)
        if (account === null || account.status === 'deleting') return
        try {
          await apply(id, username, { record: before, unmake: made })
        } catch (error) {
          if (!isGone(error)) throw error
        }
      },
    },
  ],
})
