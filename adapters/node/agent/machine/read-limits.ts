import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { MachineLimit, MachineLimits } from '#handlers/ports/host/machine.ts'
import { readIdentityFile } from '../../process/process-identity.ts'
import { textOf } from './read-memory.ts'

/** The first number of a file, or the one at `index`; null where there is none. */
const numberIn = (path: string, index = 0): number | null => {
  const field = textOf(path)?.trim().split(/\s+/)[index]
  const value = Number(field)
  return field === undefined || field === '' || !Number.isFinite(value) ? null : value
}

/** Soft bound of open files, of `/proc/<pid>/limits`. */
export const openFilesLimitOf = (limits: string | null): number | null => {
  const soft = /^Max open files\s+(\S+)/m.exec(limits ?? '')?.[1]
  return soft === undefined || !/^\d+$/.test(soft) ? null : Number(soft)
}

/** Threads of the whole machine, of `/proc/loadavg`. */
export const threadsOf = (loadavg: string | null): number | null => {
  const count = /^\S+ \S+ \S+ \d+\/(\d+) /.exec(loadavg ?? '')?.[1]
  return count === undefined ? null : Number(count)
}

const descriptorsOf = (pid: number): number | null => {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return null
  }
}

/** The web process and its workers, of which each has its own bound; the fullest counts. */
const openFilesOfWeb = (runDir: string): MachineLimit[] => {
  const web = readIdentityFile(join(runDir, 'web.pid'))
  if (web === null) return []
  const workers = textOf(`/proc/${web.pid}/task/${web.pid}/children`)?.trim().split(' ') ?? []
  const found = [web.pid, ...workers.filter((pid) => /^\d+$/.test(pid)).map(Number)].flatMap(
    (pid) => {
      const used = descriptorsOf(pid)
      const limit = openFilesLimitOf(textOf(`/proc/${pid}/limits`))
      return used === null || limit === null
        ? []
        : [{ name: 'open files of the web server', used, limit }]
    },
  )
  return found.sort((a, b) => b.used / b.limit - a.used / a.limit).slice(0, 1)
}

const pair = (name: string, used: number | null, limit: number | null): MachineLimit[] =>
  used === null || limit === null ? [] : [{ name, used, limit }]

/** Bounds of the kernel with what is in use of them. */
export const readLimits = (runDir: string): MachineLimits => {
  const threads = threadsOf(textOf('/proc/loadavg'))
  const netfilter = '/proc/sys/net/netfilter/nf_conntrack'
  return {
    filling: [
      ...pair('fs.file-max', numberIn('/proc/sys/fs/file-nr'), numberIn('/proc/sys/fs/file-nr', 2)),
      ...pair('kernel.pid_max', threads, numberIn('/proc/sys/kernel/pid_max')),
      ...pair('kernel.threads-max', threads, numberIn('/proc/sys/kernel/threads-max')),
      ...pair(
        'pids.max',
        numberIn('/sys/fs/cgroup/pids.current'),
        numberIn('/sys/fs/cgroup/pids.max'),
      ),
      ...pair(
        'net.netfilter.nf_conntrack_max',
        numberIn(`${netfilter}_count`),
        numberIn(`${netfilter}_max`),
      ),
      ...openFilesOfWeb(runDir),
    ],
    somaxconn: numberIn('/proc/sys/net/core/somaxconn'),
    overcommit: numberIn('/proc/sys/vm/overcommit_memory'),
  }
}
