import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { trimEndOf } from '#edge-cache/fields/field-text.ts'
import { identifyProcess } from '../../process/process-identity.ts'
import type { ProcessIdentity } from '../../process/process-identity.ts'

/** What /proc tells of a living process. */
export interface ProcessFacts extends ProcessIdentity {
  /** Process that started it, or that took it over. */
  parent: number
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

/** Facts of a process, or null when it is dead or was never there. */
export const readProcess = (pid: number): ProcessFacts | null => {
  const identity = identifyProcess(pid)
  const status = identity && read(`/proc/${pid}/status`)
  const commandLine = read(`/proc/${pid}/cmdline`)
  const uids = /^Uid:\t\d+\t(\d+)/m.exec(status ?? '')
  const parent = /^PPid:\t(\d+)/m.exec(status ?? '')
  const group = /^NSpgid:\t(\d+)/m.exec(status ?? '')
  if (!identity || !uids || !parent || !group || commandLine === null) return null
  let exe: string | null = null
  try {
    exe = readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, '')
  } catch {
    // Another user's process, when we are not root.
  }
  return {
    ...identity,
    parent: Number(parent[1]),
    group: Number(group[1]),
    uid: Number(uids[1]),
    exe,
    commandLine: trimEndOf(commandLine, '\0').replaceAll('\0', ' '),
  }
}

/** Living processes that satisfy `wanted`. */
export const findProcesses = (wanted: (facts: ProcessFacts) => boolean): ProcessFacts[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((facts): facts is ProcessFacts => facts !== null && wanted(facts))

/**
 * Those of `found` that none of the others started: a process that has just forked
 * shows its parent's command line until it runs or names something else.
 */
export const withoutForks = <T extends ProcessFacts>(found: readonly T[]): T[] => {
  const pids = new Set(found.map(({ pid }) => pid))
  return found.filter(({ parent }) => !pids.has(parent))
}
