import type { CronSettings } from '../../../ports/store/cron-store.ts'
import type { Cron } from '../../cron/cron.ts'
import type { Domains, SiteSettingsService } from '../../domains/domains.ts'
import type { Php } from '../../php/php.ts'
import { requireActiveAccount } from '../../records/lookup.ts'
import type { ServiceDeps } from '../../service-deps.ts'
import { ownSchedule } from '../import/own-schedule.ts'
import type { BackupSchedules } from '../schedules/schedules.ts'
import { applyCron } from './apply-cron.ts'
import { applyDomains } from './apply-domains.ts'
import type { SettingsRecord } from './settings-record.ts'
import { createTold, type Told } from './told.ts'

/** Services that a restore of settings goes through, as whoever would do it by hand. */
export interface SettingsServices {
  domains: Pick<Domains, 'change'>
  siteSettings: Pick<SiteSettingsService, 'replace'>
  php: Pick<Php, 'config' | 'setVersion'>
  cron: Cron
  schedules: Pick<BackupSchedules, 'set' | 'remove'>
}

type Deps = Pick<ServiceDeps, 'store' | 'host'> & SettingsServices

const applyPhp = async (
  { host, store, php }: Deps,
  accountId: number,
  { php_version, php_mode }: SettingsRecord['account'],
  told: Told,
): Promise<void> => {
  const now = await requireActiveAccount(store, accountId)
  if (now.php_version === php_version && now.php_mode === php_mode) return
  const versions = await host.of(now.host_id).php.versions()
  const lacks = php_version !== null && versions.every(({ version }) => version !== php_version)
  if (lacks)
    told.note(
      `PHP ${php_version} of ${now.username} is not installed here; what it runs now stays.`,
    )
  const usual = versions.find((one) => one.default) ?? versions[0]
  const wanted = lacks ? (await php.config(accountId)).version : (php_version ?? usual?.version)
  if (wanted === null || wanted === undefined) return
  await told.tried('PHP of the account', () => php.setVersion(accountId, wanted, php_mode))
}

const applySchedule = async (
  { host, store, schedules }: Deps,
  accountId: number,
  record: SettingsRecord,
  told: Told,
): Promise<void> => {
  if (record.backup_schedule === undefined) return
  if (record.backup_schedule === null) {
    const all = await store.listBackupSchedules()
    if (all.some(({ owner }) => 'accountId' in owner && owner.accountId === accountId))
      await schedules.remove({ accountId })
    return
  }
  const { schedule, notes } = await ownSchedule(host.local, record)
  for (const note of notes) told.note(note)
  if (schedule !== null)
    await told.tried('Its backup schedule', () => schedules.set({ accountId }, schedule))
}

/**
 * Gives an account the settings of a record, whose values were checked. Answers in sentences
 * what was not taken over; rejects where something cannot be done at present.
 */
export const applySettings = async (
  deps: Deps,
  accountId: number,
  { record, unmake }: { record: SettingsRecord; unmake: readonly CronSettings[] },
): Promise<string[]> => {
  const notes: string[] = []
  const told = createTold(notes)
  await applyPhp(deps, accountId, record.account, told)
  await applyDomains(deps, await requireActiveAccount(deps.store, accountId), record, told)
  await applyCron(deps, accountId, { wanted: record.cron, unmake }, told)
  await applySchedule(deps, accountId, record, told)
  return notes
}
