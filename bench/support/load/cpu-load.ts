import { readFileSync } from 'node:fs'

/** Busy ticks of one processor: all of `/proc/stat` but idle, waiting for disks, and guests (counted twice there). */
export const busyTicks = (stat: string, cpu: number): number => {
  const line = stat.split('\n').find((one) => one.startsWith(`cpu${cpu} `))
  const fields = line?.split(/\s+/).slice(1).map(Number) ?? []
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = fields
  return user + nice + system + irq + softirq + steal
}

const TICKS_PER_SECOND = 100

/** Seconds that these processors were busy since the machine started. */
export const busySeconds = (cpus: readonly number[]): number => {
  const stat = readFileSync('/proc/stat', 'utf8')
  return cpus.reduce((sum, cpu) => sum + busyTicks(stat, cpu), 0) / TICKS_PER_SECOND
}
