import type { AccountRecord } from '../../../ports/host/backups/archived-records.ts'
import { LOCAL } from '../../../ports/host/backups/backups.ts'
import type { BackupSchedule } from '../../../ports/store/backup-schedule-store.ts'
import type { HostPorts } from '../../../ports/host/host.ts'

/**
 * The backup schedule that the account had of its own, with the places that this host
 * has; null: none is taken over. What is otherwise than it was is told in sentences.
 */
export const ownSchedule = async (
  { backups }: Pick<HostPorts, 'backups'>,
  record: Pick<AccountRecord, 'backup_schedule'> | null,
): Promise<{ schedule: BackupSchedule | null; notes: string[] }> => {
  const schedule = record?.backup_schedule ?? null
  if (schedule === null) return { schedule, notes: [] }
  const elsewhere = schedule.places.some((place) => place !== LOCAL)
  const known = elsewhere ? (await backups.targets()).map(({ name }) => name) : []
  const places = schedule.places.filter((place) => place === LOCAL || known.includes(place))
  const missing = schedule.places.filter((place) => !places.includes(place)).join(', ')
  if (missing === '') return { schedule, notes: [] }
  if (places.length === 0)
    return {
      schedule: null,
      notes: [
        `Its own backup schedule is not taken over, since none of its places is here: ${missing}. That of its plan holds, or the default.`,
      ],
    }
  return {
    schedule: { ...schedule, places },
    notes: [`Its backup schedule names places that are not here, and goes without: ${missing}.`],
  }
}
