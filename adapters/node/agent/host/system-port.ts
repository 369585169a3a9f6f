import { MEGABYTE } from '#handlers/domain/text/megabyte.ts'
import { readFile, readdir, statfs } from 'node:fs/promises'
import os from 'node:os'
import type { SystemHolds, SystemInfo, SystemPort } from '#handlers/ports/host/system.ts'

const MEBIBYTE = 2 ** 20
/** Over less time the usage would be mostly that of the question itself. */
const MIN_CPU_SPAN_MS = 2000

interface CpuTimes {
  busy: number
  total: number
}

const cpuTimes = (): CpuTimes => {
  let busy = 0
  let total = 0
  for (const { times } of os.cpus()) {
    const working = times.user + times.nice + times.sys + times.irq
    busy += working
    total += working + times.idle
  }
  return { busy, total }
}

/** Name of the distribution, e.g. `Debian GNU/Linux 12 (bookworm)`. */
const osName = async (): Promise<string> => {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '')
  return /^PRETTY_NAME="?([^"\n]*)"?$/m.exec(release)?.[1] ?? `${os.type()} ${os.release()}`
}

/** Memory that programs could still have, caches included, in bytes. */
const availableMemory = async (): Promise<number> => {
  const meminfo = await readFile('/proc/meminfo', 'utf8').catch(() => '')
  const kibibytes = /^MemAvailable:\s+(\d+) kB$/m.exec(meminfo)?.[1]
  return kibibytes === undefined ? os.freemem() : Number(kibibytes) * 1024
}

/** Processes, not threads: `/proc/loadavg` counts the latter. */
const countProcesses = async (): Promise<number> => {
  const names = await readdir('/proc').catch(() => [])
  return names.filter((name) => /^\d+$/.test(name)).length
}

/**
 * Facts of the machine from /proc, `os` and statfs. CPU usage is the average
 * since an earlier call two seconds ago or more (since the start of this process
 * for the first one), so no call has to wait for a sample. `diskPath` is where homes lie.
 */
export const createSystemPort = (deps: {
  diskPath: string
  holds: () => SystemHolds
}): SystemPort => {
  let earlier = cpuTimes()
  let earlierMs = performance.now()
  let first = true
  let usagePercent = 0

  const sampleCpu = (): number => {
    const now = cpuTimes()
    const total = now.total - earlier.total
    // Calls come in bunches: between two that are close the last figure stands.
    if (total > 0 && (first || performance.now() - earlierMs >= MIN_CPU_SPAN_MS)) {
      first = false
      earlierMs = performance.now()
      usagePercent = Math.round(((now.busy - earlier.busy) / total) * 1000) / 10
      earlier = now
    }
    return Math.min(100, Math.max(0, usagePercent))
  }

  return {
    async info(): Promise<SystemInfo> {
      const [name, available, disk, processes] = await Promise.all([
        osName(),
        availableMemory(),
        statfs(deps.diskPath).catch(() => statfs('/')),
        countProcesses(),
      ])
      const cpus = os.cpus()
      const [one = 0, five = 0, fifteen = 0] = os.loadavg()
      return {
        hostname: os.hostname(),
        os: name,
        kernel: os.release(),
        arch: os.machine(),
        cpu_model: cpus[0]?.model.trim() ?? 'unknown',
        cpu_count: cpus.length,
        cpu_usage_percent: sampleCpu(),
        memory_total_mb: Math.round(os.totalmem() / MEBIBYTE),
        memory_used_mb: Math.max(0, Math.round((os.totalmem() - available) / MEBIBYTE)),
        disk_total_mb: Math.round((disk.blocks * disk.bsize) / MEGABYTE),
        disk_used_mb: Math.round(((disk.blocks - disk.bfree) * disk.bsize) / MEGABYTE),
        uptime_secs: Math.floor(os.uptime()),
        process_count: processes,
        load_average: [one, five, fifteen],
        account_limits: deps.holds(),
      }
    },
  }
}
