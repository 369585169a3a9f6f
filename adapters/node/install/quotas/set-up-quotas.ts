import { existsSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { mountOf, readMounts } from '../../machine/mounts.ts'
import { quotaState } from '../../machine/quota-state.ts'
import { writeWhole } from '../../layout/write-whole.ts'
import { mustRun } from '../../process/run-command.ts'
import { addOptions, FSTAB } from '../../machine/fstab.ts'
import { mountAgain, WITHOUT_FILE } from './mount-again.ts'
import { quotaWay, type QuotaWay } from './quota-ways.ts'
import { writeQuotaRecord } from './quota-record.ts'

const TOOLS = ['/usr/sbin/setquota', '/usr/sbin/quotaon', '/usr/sbin/quotacheck']
/** All files of the file system are looked at, where it does not count by itself. */
const COUNT_MS = 30 * 60_000

/** Switches limits on at once; whatever fails, the mount is as before. */
const switchOn = async (place: string, way: QuotaWay): Promise<void> => {
  const file = way.file === null ? null : join(place, way.file)
  const isNew = file !== null && !existsSync(file)
  try {
    if (way.remount) await mountAgain(place, way.options)
    if (file !== null)
      await mustRun(
        '/usr/sbin/quotacheck',
        ['--user', '--no-remount', '--create-files', '--format=vfsv1', '--', place],
        { timeoutMs: COUNT_MS },
      )
    await mustRun('/usr/sbin/quotaon', ['--user', '--', place])
  } catch (error) {
    if (way.remount) await mountAgain(place, WITHOUT_FILE).catch(() => undefined)
    if (isNew) rmSync(file, { force: true })
    throw error
  }
}

/**
 * Has the kernel keep to disk quotas where homes lie, now and after the next start of the machine,
 * as far as the file system allows. Answers a sentence for whoever installs; never throws, since
 * Berth counts where the kernel does not hold. What was changed is noted for `undoQuotas`.
 */
export const setUpQuotas = async (homeBase: string, stateDir: string): Promise<string> => {
  const home = realpathSync(homeBase)
  const state = await quotaState(home)
  const mount = mountOf(home, readMounts())
  if (state === 'held') return `The kernel keeps to disk quotas at ${mount?.mount ?? home}.`
  const without = (reason: string): string =>
    `The kernel keeps to no disk quotas: ${reason} Berth counts, and stops what it writes itself (docs/limits.md).`
  if (mount === null) return without(`nobody says what is mounted at ${home}.`)
  const way = quotaWay(mount, state)
  if (typeof way === 'string') return without(way)
  const place = mount.mount
  const missing = TOOLS.find((tool) => !existsSync(tool))
  if (missing !== undefined) return without(`there is no ${missing}: apt install quota.`)
  const fstab = existsSync(FSTAB) ? readFileSync(FSTAB, 'utf8') : ''
  const changed = addOptions(fstab, place, way.options)
  if (changed === null)
    return without(
      `${FSTAB} has no line for ${place}, so they would be gone with the next start. Mount it with ${way.options.join(',')} where it is mounted.`,
    )
  try {
    writeQuotaRecord(stateDir, { mount: place, options: way.options, file: way.file, on: way.now })
    if (way.now) await switchOn(place, way)
    writeWhole(FSTAB, changed, { mode: statSync(FSTAB).mode & 0o777 })
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    const hint = said.includes('No such process')
      ? ' The kernel lacks the module quota_v2 (Ubuntu: apt install linux-modules-extra-$(uname -r)).'
      : ''
    return without(`they cannot be switched on at ${place}: ${said}.${hint}`)
  }
  return way.now
    ? `The kernel keeps to disk quotas at ${place} from now on (${way.options.join(',')} in ${FSTAB}).`
    : `The kernel keeps to disk quotas at ${place} when it is mounted anew, e.g. with the next start of the machine (${way.options.join(',')} in ${FSTAB}).`
}
