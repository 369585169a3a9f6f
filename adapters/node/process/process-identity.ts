import { readFileSync } from 'node:fs'

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  pid: number
  /** Clock ticks since boot, field 22 of /proc/<pid>/stat. */
  startTicks: number
}

/** Identity of a live process; null when it is gone or only waits to be reaped. */
export const identifyProcess = (pid: number): ProcessIdentity | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name may hold blanks and brackets; the fields begin after its last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // A dead process stays listed as a zombie where nobody reaps it.
    if (fields[0] === 'Z' || fields[0] === 'X') return null
    return { pid, startTicks: Number(fields[19]) }
  } catch {
    return null
  }
}

/** Whether exactly this process still runs. */
export const isSameProcessAlive = (identity: ProcessIdentity): boolean =>
  identifyProcess(identity.pid)?.startTicks === identity.startTicks

/** The form in which pid files hold it: `<pid> <start ticks>`. */
export const formatIdentity = (identity: ProcessIdentity): string =>
  `${identity.pid} ${identity.startTicks}\n`

/** Reads a pid file; null when there is none or it holds something else. */
export const readIdentityFile = (file: string): ProcessIdentity | null => {
  try {
    const match = /^(\d+) (\d+)\n?$/.exec(readFileSync(file, 'utf8'))
    return match ? { pid: Number(match[1]), startTicks: Number(match[2]) } : null
  } catch {
    return null
  }
}
