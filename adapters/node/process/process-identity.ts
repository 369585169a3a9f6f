import { readFileSync, readdirSync } from 'node:fs'

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  pid: number
  /** Clock ticks since boot, field 22 of /proc/<pid>/stat. */
  startTicks: number
}

/** State letter and start time out of a stat file of /proc. */
const readStat = (file: string): { state: string; startTicks: number } => {
  const stat = readFileSync(file, 'latin1')
  // The name may hold blanks and brackets; the fields begin after its last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? '', startTicks: Number(fields[19]) }
}

const isEnded = (state: string): boolean => state === 'Z' || state === 'X'

/**
 * Whether any thread of the process runs. One whose first thread has ended is
 * listed as a zombie while the others go on.
 */
export const hasLivingThread = (pid: number): boolean => {
  const ended = (file: string): boolean => {
    try {
      return isEnded(readStat(file).state)
    } catch {
      return true // gone while we looked
    }
  }
  try {
    return readdirSync(`/proc/${pid}/task`).some(
      (thread) => !ended(`/proc/${pid}/task/${thread}/stat`),
    )
  } catch {
    return false
  }
}

/** Identity of a live process; null when it is gone or only waits to be reaped. */
export const identifyProcess = (pid: number): ProcessIdentity | null => {
  try {
    const { state, startTicks } = readStat(`/proc/${pid}/stat`)
    // A dead process stays listed as a zombie where nobody reaps it.
    if (isEnded(state) && !hasLivingThread(pid)) return null
    return { pid, startTicks }
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
