import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writeWhole } from '../../layout/write-whole.ts'
import { mustRun } from '../../process/run-command.ts'
import { FSTAB, removeOptions } from '../../machine/fstab.ts'
import { mountAgain, WITHOUT_FILE } from './mount-again.ts'
import { forgetQuotaRecord, readQuotaRecord } from './quota-record.ts'

/**
 * Takes back what `setUpQuotas` changed: limits are off from now on and after the next start of the
 * machine. Answers what it did, null where there was nothing; throws what stood in the way.
 */
export const undoQuotas = async (stateDir: string): Promise<string | null> => {
  const made = readQuotaRecord(stateDir)
  if (made === null) return null
  const { mount, options, file, on } = made
  const fstab = existsSync(FSTAB) ? readFileSync(FSTAB, 'utf8') : ''
  const changed = removeOptions(fstab, mount, options)
  if (changed !== null && changed !== fstab)
    writeWhole(FSTAB, changed, { mode: statSync(FSTAB).mode & 0o777 })
  if (on) await mustRun('/usr/sbin/quotaoff', ['--user', '--', mount])
  if (file !== null) {
    await mountAgain(mount, WITHOUT_FILE)
    rmSync(join(mount, file), { force: true })
  }
  forgetQuotaRecord(stateDir)
  return `The kernel keeps to no disk quotas at ${mount} ${on ? 'any more' : 'when it is mounted anew'}.`
}
