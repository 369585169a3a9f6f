import { timestamp } from '../../../domain/text/timestamp.ts'
import type { MachinePackages, PendingUpdate } from '../../../ports/host/machine.ts'
import type { MachineDiagnosis } from './judgement.ts'

const DAY_MS = 86_400_000
/** Distributions publish security updates within days; lists that are a week old miss some for certain. */
const STALE_DAYS = 7
const NAMED = 6

const namesOf = (updates: readonly PendingUpdate[]): string => {
  const names = updates.slice(0, NAMED).map(({ name, candidate }) => `${name} ${candidate}`)
  const more = updates.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const commandOf = (updates: readonly PendingUpdate[]): string =>
  `apt-get update && apt-get install --only-upgrade ${updates.map(({ name }) => name).join(' ')}`

/** Updates of the packages that Berth needs, by the lists that are on the machine. */
export const judgePackages = (
  { listedAtMs, securityListed, updates }: MachinePackages,
  nowMs: number,
): MachineDiagnosis[] => {
  const days = Math.floor((nowMs - listedAtMs) / DAY_MS)
  const listed = `lists of ${timestamp(listedAtMs)}, ${days === 1 ? '1 day' : `${days} days`} old`
  const found: MachineDiagnosis[] = []
  const security = updates.filter((one) => one.security)
  const others = updates.filter((one) => !one.security)
  if (security.length > 0)
    found.push({
      kind: 'package',
      level: 'warning',
      subject: 'security updates',
      what: `are pending for ${security.length} of the packages that Berth needs: ${namesOf(security)} (${listed})`,
      fix: commandOf(security),
    })
  if (others.length > 0)
    found.push({
      kind: 'package',
      level: 'warning',
      subject: 'updates',
      what: `are pending for ${others.length} of the packages that Berth needs: ${namesOf(others)} (${listed})`,
      why: 'Corrections come this way, in releases of the distribution those of security too.',
      fix: commandOf(others),
    })
  if (days >= STALE_DAYS)
    found.push({
      kind: 'package',
      level: 'warning',
      subject: 'package lists',
      what: `are ${days} days old (${timestamp(listedAtMs)})`,
      why: 'Security updates that came since are not known here.',
      fix: 'Run apt-get update, and let the machine do so by itself: apt-get install unattended-upgrades',
    })
  if (!securityListed)
    found.push({
      kind: 'package',
      level: 'warning',
      subject: 'package lists',
      what: 'name no archive of security updates',
      why: 'Security updates come later, with the next release, or not at all.',
      fix: 'Add it to /etc/apt (on Debian: deb http://security.debian.org/debian-security <release>-security main), then run apt-get update',
    })
  return found
}
