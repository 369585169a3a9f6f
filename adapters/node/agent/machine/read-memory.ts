import { readFileSync } from 'node:fs'
import type { MachineMemory } from '#handlers/ports/host/machine.ts'

/** Null where there is no such file. */
export const textOf = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

const KIBIBYTE = 1024

/** Value of a line such as `MemTotal:  123 kB`, in bytes. */
const bytesOf = (meminfo: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(meminfo)?.[1] ?? 0) * KIBIBYTE

/** Of `/proc/pressure/memory`: how long everything stood still, in per cent of the last five minutes. */
export const stalledPercentOf = (pressure: string | null): number | null => {
  const average = /^full .*\bavg300=([\d.]+)/m.exec(pressure ?? '')?.[1]
  return average === undefined ? null : Math.round(Number(average))
}

/** Of `/proc/vmstat`. */
export const killedOf = (vmstat: string | null): number | null => {
  const count = /^oom_kill (\d+)$/m.exec(vmstat ?? '')?.[1]
  return count === undefined ? null : Number(count)
}

/** Bytes that the control group of the machine itself, a container, may have; null: no bound. */
const groupLimit = (): { limit: number; used: number } | null => {
  const [limit, used] = [
    textOf('/sys/fs/cgroup/memory.max'),
    textOf('/sys/fs/cgroup/memory.current'),
  ]
  const known = Number(limit)
  return limit === null || used === null || !Number.isFinite(known)
    ? null
    : { limit: known, used: Number(used) }
}

/** Pure part: the figures of `/proc/meminfo`, within what a container is allowed. */
export const memoryOf = (
  meminfo: string,
  group: { limit: number; used: number } | null,
): Omit<MachineMemory, 'stalledPercent' | 'killed'> => {
  const totalBytes = bytesOf(meminfo, 'MemTotal')
  const availableBytes = bytesOf(meminfo, 'MemAvailable')
  const swapTotalBytes = bytesOf(meminfo, 'SwapTotal')
  const swapFreeBytes = bytesOf(meminfo, 'SwapFree')
  const swap = { swapTotalBytes, swapFreeBytes }
  if (group === null || group.limit >= totalBytes) return { totalBytes, availableBytes, ...swap }
  // What the group has cached counts as used there; as much of it can be had back.
  const left = Math.max(0, group.limit - group.used) + bytesOf(meminfo, 'Inactive\\(file\\)')
  return { totalBytes: group.limit, availableBytes: Math.min(availableBytes, left), ...swap }
}

/** `killedBefore`: what the kernel had counted when the agent started. */
export const readMemory = (killedBefore: number | null): MachineMemory => {
  const meminfo = textOf('/proc/meminfo')
  if (meminfo === null) throw new Error('/proc/meminfo cannot be read')
  const killed = killedOf(textOf('/proc/vmstat'))
  return {
    ...memoryOf(meminfo, groupLimit()),
    stalledPercent: stalledPercentOf(textOf('/proc/pressure/memory')),
    killed: killed === null || killedBefore === null ? null : Math.max(0, killed - killedBefore),
  }
}
