import { readdirSync, readFileSync } from 'node:fs'

/** What one line of `/proc/<pid>/stat` says, as far as it matters here (proc(5)). */
export interface ProcessStat {
  pid: number
  parent: number
  state: string
  /** Clock ticks of the process itself, user and kernel. */
  ticks: number
  /** Clock ticks of children that ended and were waited for. */
  endedTicks: number
}

/** The kernel's USER_HZ, which is 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100

/** The name, second field, may hold blanks and parentheses: fields count from the last `)`. */
export const parseStat = (line: string): ProcessStat => {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const at = (index: number): number => Number(fields[index])
  return {
    pid: Number.parseInt(line, 10),
    state: fields[0] ?? '',
    parent: at(1),
    ticks: at(11) + at(12),
    endedTicks: at(13) + at(14),
  }
}

const readAll = (): ProcessStat[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [parseStat(readFileSync(`/proc/${name}/stat`, 'utf8'))]
      } catch {
        return [] // ended meanwhile
      }
    })

/** A process and all that descend from it, dead ones left out. */
export const treeOf = (roots: readonly number[], all = readAll()): ProcessStat[] => {
  const found = new Map<number, ProcessStat>()
  let more = all.filter(({ pid }) => roots.includes(pid))
  while (more.length > 0) {
    for (const one of more) found.set(one.pid, one)
    more = all.filter(({ pid, parent }) => found.has(parent) && !found.has(pid))
  }
  return [...found.values()].filter(({ state }) => state !== 'Z' && state !== 'X')
}

/** CPU time that a process tree has used so far, in seconds, ended children included. */
export const cpuSeconds = (roots: readonly number[]): number =>
  treeOf(roots).reduce((sum, { ticks, endedTicks }) => sum + ticks + endedTicks, 0) /
  TICKS_PER_SECOND

/** Resident memory of a process tree in bytes, as `VmRSS` says. */
export const residentBytes = (roots: readonly number[]): number =>
  treeOf(roots).reduce((sum, { pid }) => {
    try {
      const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
      return sum + Number(kilobytes ?? 0) * 1024
    } catch {
      return sum
    }
  }, 0)

/** Memory of a process tree in bytes, what processes share counted once (`Pss`, proc(5)). */
export const proportionalBytes = (roots: readonly number[]): number =>
  treeOf(roots).reduce((sum, { pid }) => {
    try {
      const kilobytes = /^Pss:\s+(\d+) kB/m.exec(
        readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'),
      )?.[1]
      return sum + Number(kilobytes ?? 0) * 1024
    } catch {
      return sum // ended meanwhile
    }
  }, 0)
