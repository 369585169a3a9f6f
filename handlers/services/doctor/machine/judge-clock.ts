import { timestamp, timestampMs } from '../../../domain/text/timestamp.ts'
import type { MachineClock } from '../../../ports/host/machine.ts'
import type { MachineDiagnosis } from './judgement.ts'

/** A jump of less is what a time service does when it starts; second factors stand half a minute. */
const JUMP_SECS = 30
/** Records from the future by more than this: the clock was set back, and with it what is due by it. */
const AHEAD_MS = 5 * 60_000
/** Jumps from before that are history. */
const JUMP_AGE_MS = 24 * 3_600_000

/** Whether the clock is kept right, and goes on evenly; `newestRecord`: when the panel wrote last, as far as it is known. */
export const judgeClock = (
  { synchronised, source, jumps }: MachineClock,
  newestRecord: string | null,
  nowMs: number,
): MachineDiagnosis[] => {
  const found: MachineDiagnosis[] = []
  const jumped = jumps.filter(
    ({ atMs, secs }) => Math.abs(secs) >= JUMP_SECS && nowMs - atMs <= JUMP_AGE_MS,
  )
  const last = jumped.at(-1)
  if (synchronised === false)
    found.push({
      kind: 'clock',
      level: 'warning',
      subject: 'clock',
      what: `is not kept right by a time service (${source})`,
      fix: 'Install and start one: apt-get install systemd-timesyncd, then timedatectl set-ntp true; or chrony.',
    })
  if (last !== undefined)
    found.push({
      kind: 'clock',
      level: 'warning',
      subject: 'clock',
      what: `jumped ${jumped.length === 1 ? 'once' : `${jumped.length} times`} within a day, last by ${Math.round(last.secs)} s at ${timestamp(last.atMs)}`,
      fix: 'See that one time service alone sets it. A machine that was paused or moved shows the same.',
    })
  const newestMs = newestRecord === null ? NaN : timestampMs(newestRecord)
  if (newestMs - nowMs > AHEAD_MS)
    found.push({
      kind: 'clock',
      subject: 'clock',
      what: `stands at ${timestamp(nowMs)}, before what the panel wrote at ${newestRecord}`,
      why: 'Backups and renewals are not due while the clock is behind, and sessions last too long.',
      fix: 'Set the clock, with a time service that keeps it.',
    })
  return found
}
