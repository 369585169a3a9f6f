import type {
  AccountRecord,
  ArchivedAccount,
} from '../../../ports/host/backups/archived-records.ts'
import type { AccountRow } from '../../../ports/store/records.ts'
import type { Store } from '../../../ports/store/store.ts'
import { accountRecord } from '../account-record.ts'

/** What of an account's record a restore of settings brings back: how it works, not who it is or what it may. */
export type SettingsRecord = Pick<AccountRecord, 'domains' | 'cron' | 'backup_schedule'> & {
  account: Pick<ArchivedAccount, 'php_version' | 'php_mode'>
}

/** The part of a whole record that is settings. */
export const settingsOf = (record: SettingsRecord): SettingsRecord => ({
  account: { php_version: record.account.php_version, php_mode: record.account.php_mode },
  domains: record.domains,
  cron: record.cron,
  ...(record.backup_schedule === undefined ? {} : { backup_schedule: record.backup_schedule }),
})

/** The settings of an account as they are now. */
export const settingsNow = async (
  store: Store,
  account: AccountRow & { home: string },
): Promise<SettingsRecord> => settingsOf((await accountRecord(store, account)).record)
