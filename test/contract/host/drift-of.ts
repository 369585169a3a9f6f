/** Kinds of findings that are about the machine, not about records and host. */
const OF_MACHINE: readonly string[] = [
  'disk',
  'memory',
  'clock',
  'process',
  'port',
  'database-server',
  'package',
  'limit',
]

/**
 * The findings of the doctor that say that records and host differ. Left out are those
 * of the machine, which a test does not choose, and of processes and backups, which it may have broken off.
 */
export const driftOf = (answer: unknown): { kind: string; subject: string; what: string }[] => {
  const { findings } = answer as {
    findings: { kind: string; subject: string; what: string; level?: string }[]
  }
  return findings.filter(
    ({ kind, what, level }) =>
      level !== 'warning' &&
      !OF_MACHINE.includes(kind) &&
      !(kind === 'backup' && what.startsWith('has a backup that ')),
  )
}
