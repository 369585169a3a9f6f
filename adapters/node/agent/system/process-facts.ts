import { readFileSync, readdirSync, readlinkSync } from 'node:fs'

/** What /proc tells of a living process. */
export interface ProcessFacts {
  pid: number
  /** Clock ticks after boot; with the pid it names a process unmistakably. */
  startTicks: number
  /** Process group. */
  group: number
  /** Effective user. */
  uid: number
  /** Path of the running binary; null when /proc does not tell. */
  exe: string | null
  /** Arguments joined by spaces; a process can rewrite its own. */
  commandLine: string
}

const read = (path: string): string | null => {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return null
  }
}

/** State letter and start time from `/proc/<pid>/stat`; the name in it may hold spaces and brackets. */
const readStat = (pid: number): { state: string; group: number; startTicks: number } | null => {
  const stat = read(`/proc/${pid}/stat`)
  if (stat === null) return null
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { state: fields[0] ?? 'X', group: Number(fields[2]), startTicks: Number(fields[19]) }
}

/** A process that has ended but was not reaped (state Z) still answers signals; it counts as dead. */
const isDead = (state: string): boolean => state === 'Z' || state === 'X' || state === 'x'

/** Facts of a process, or null when it is dead or was never there. */
export const readProcess = (pid: number): ProcessFacts | null => {
  const stat = readStat(pid)
  if (!stat || isDead(stat.state)) return null
  const status = read(`/proc/${pid}/status`)
  const uids = status === null ? null : /^Uid:\t(\d+)\t(\d+)/m.exec(status)
  const commandLine = read(`/proc/${pid}/cmdline`)
  if (!uids || commandLine === null) return null
  let exe: string | null = null
  try {
    exe = readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '')
  } catch {
    // Another user's process, when we are not root.
  }
  return {
    pid,
    startTicks: stat.startTicks,
    group: stat.group,
    uid: Number(uids[2]),
    exe,
    commandLine: commandLine.replace(/\0+$/, '').replaceAll('\0', ' '),
  }
}

/** Whether this very process still lives: the pid may belong to another one by now. */
export const isAlive = (known: { pid: number; startTicks: number }): boolean => {
  const stat = readStat(known.pid)
  return stat !== null && !isDead(stat.state) && stat.startTicks === known.startTicks
}

/** Living processes that satisfy `wanted`. */
export const findProcesses = (wanted: (facts: ProcessFacts) => boolean): ProcessFacts[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((facts): facts is ProcessFacts => facts !== null && wanted(facts))
