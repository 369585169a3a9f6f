import { backups } from '../backups/backups.ts'
import { backupTabs } from '../backups/tabs.ts'
import { targets } from '../backups/targets.ts'
import { snapshots } from '../backups/snapshots.ts'
import { imports } from '../backups/imports.ts'
import { recovery } from '../backups/recovery.ts'
import { schedule } from '../backups/schedule.ts'

/** German texts of backups, snapshots and imports: the part of the pages that have to do with them. */
export const backupsPart = {
  backups,
  backupTabs,
  targets,
  snapshots,
  imports,
  recovery,
  schedule,
}
