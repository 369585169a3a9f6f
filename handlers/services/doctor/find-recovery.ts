import type { RecoveryFacts } from '../../ports/recovery.ts'
import type { Diagnosis } from './finding.ts'

const warning = (subject: string, what: string, why: string, fix: string): Diagnosis => ({
  kind: 'backup',
  level: 'warning',
  subject,
  what,
  why,
  fix,
  repair: null,
  username: null,
})

/**
 * What stands between this panel and coming back, or between having come back and working
 * as before. `waiting`: how many accounts are still empty after an import.
 */
export const findRecovery = (
  { held, kitMadeAt, kitVerifiedAt }: RecoveryFacts,
  waiting: number,
): Diagnosis[] => {
  const found: Diagnosis[] = []
  if (waiting > 0)
    found.push(
      warning(
        'accounts',
        `of the import are still empty: ${waiting}`,
        'The schedule makes no backups of them and removes none until their contents are back.',
        'berth backups restore-all',
      ),
    )
  if (held)
    found.push(
      warning(
        'this machine',
        'was brought back and is not said to be the live one',
        'Certificates are not renewed, no backup is made or removed by the schedule, and hooks and webhooks are told nothing.',
        'When the old machine is off: berth panel live',
      ),
    )
  if (kitMadeAt === null)
    found.push(
      warning(
        'the recovery kit',
        'was never made',
        'Should this machine be lost, its records and keys are lost with it.',
        'As root: berth panel recovery-kit, then berth panel export',
      ),
    )
  else if (kitVerifiedAt === null)
    found.push(
      warning(
        'the recovery kit',
        `made at ${kitMadeAt} was never verified`,
        'Exports of the panel open with it alone, and nobody has proved that it is kept.',
        'From the copy that is kept elsewhere: berth panel recovery-kit --verify FILE',
      ),
    )
  return found
}
