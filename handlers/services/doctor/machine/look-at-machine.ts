import { timestamp } from '../../../domain/text/timestamp.ts'
import type { MachineFacts, MachinePort } from '../../../ports/host/machine.ts'
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
import type { Records } from '../records.ts'
import { shortageOf } from './judge-disks.ts'
import { judgeMachine } from './judge-machine.ts'
import type { Judgement } from './judgement.ts'

/** A failure that nobody minded for so long is in the log; the schedule has tried again since. */
const FAILED_DAYS = 14

const newest = (times: readonly string[]): string | null =>
  times.reduce<string | null>((last, one) => (last === null || one > last ? one : last), null)

const isShort = ({ disks }: MachineFacts): boolean =>
  disks.seen && disks.value.some((disk) => shortageOf(disk) !== null)

/** Looks at the machine and judges it with the panel's records. */
export const lookAtMachine = async (
  {
    store,
    clock,
    backupsConfig = NO_BACKUPS,
  }: Pick<ServiceDeps, 'store' | 'clock' | 'backupsConfig'>,
  machine: MachinePort,
  { accounts, backups, certificates }: Pick<Records, 'accounts' | 'backups' | 'certificates'>,
): Promise<Judgement> => {
  const facts = await machine.facts()
  const fillers = isShort(facts) ? await machine.fillers() : []
  const nowMs = clock.nowMs()
  const snapshots = await store.newestSnapshots()
  const known = await readScheduleRecords({ store, backupsConfig })
  const standings = accounts.map((account) => standingOf(account, known, nowMs))
  const made = newestOfEach([...backups, ...snapshots])
  const failed = await store.endedOperations(
    'undone',
    [BACKUP_CREATE, BACKUP_UPLOAD, SNAPSHOT_CREATE],
    timestamp(nowMs - FAILED_DAYS * 86_400_000),
  )
  return judgeMachine(
    facts,
    fillers,
    {
      scheduled:
        known.preset.what !== 'none' || standings.some(({ schedule: { what } }) => what !== 'none'),
      overdue: new Set(
        standings
          .filter((one) => isOverdue(one, made.get(one.account.id) ?? null, nowMs))
          .map(({ account: { id } }) => id),
      ),
      accounts,
      backups: [...backups, ...snapshots],
      snapshots,
      proofs: await store.latestProofs(),
      failed,
      certificates,
      uses: accounts.flatMap(({ username, home, disk_used_mb }) =>
        home === null ? [] : [{ username, home, usedMb: disk_used_mb }],
      ),
      newestRecord: newest([
        ...accounts.map(({ updated_at }) => updated_at),
        ...backups.map(({ created_at }) => created_at),
      ]),
    },
    nowMs,
  )
}
