import { decimal } from './decimal.ts'

export interface Quantity {
  value: string
  unit: string
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

const rounded = (value: number): string =>
  value >= 100 || Number.isInteger(value) ? decimal(value, 0) : decimal(value, 1)

/**
 * A byte count in the unit that keeps it readable: in thousands as files, disks and plans are counted
 * everywhere, memory in 1024s as kernels and PHP count it.
 */
export const sizeOf = (bytes: number, base: 1000 | 1024 = 1000): Quantity => {
  let value = Math.max(0, bytes)
  let index = 0
  while (value >= base && index < UNITS.length - 1) {
    value /= base
    index += 1
  }
  return { value: rounded(value), unit: UNITS[index] ?? 'B' }
}

const asText = ({ value, unit }: Quantity): string => `${value} ${unit}`

/** e.g. `41.2 MB`. */
export const bytes = (count: number): string => asText(sizeOf(count))

/** The same of memory: `256 MB` for 256 MiB. */
export const memoryBytes = (count: number): string => asText(sizeOf(count, 1024))

/** Memory that is given in MiB: `2 GB` for 2048. */
export const memory = (mib: number): string => memoryBytes(mib * 2 ** 20)

/** What is given in megabytes, quotas for instance: 5000 MB reads `5 GB`. */
export const megabytes = (mb: number): string => (mb < 1 ? '0 MB' : bytes(mb * 1e6))

/** What is used of a quota; counted in whole MB, so a small site reads `< 1 MB`. */
export const usedOfQuota = (mb: number): string => (mb < 1 ? '< 1 MB' : megabytes(mb))

/** The unit of the largest of some sizes, and how many bytes it has: a chart's axis gets round figures of it. */
export const unitOf = (largest: number): { unit: string; bytes: number } => {
  const { unit } = sizeOf(largest)
  return { unit, bytes: 1000 ** UNITS.indexOf(unit) }
}

/** Two sizes in the unit of the larger: `{used:'3.1', total:'8', unit:'GB'}`; of memory in MiB, else in MB. */
export const usedOf = (usedMb: number, totalMb: number, of: 'disk' | 'memory') => {
  const base = of === 'memory' ? 1024 : 1000
  const { unit } = sizeOf(totalMb * base ** 2, base)
  const divisor = base ** (UNITS.indexOf(unit) - 2)
  const figure = (mb: number) => {
    const value = mb / divisor
    return value >= 100 ? decimal(value, 0) : decimal(value, 1)
  }
  return { used: figure(usedMb), total: figure(totalMb).replace(/[.,]0$/, ''), unit }
}

/** Whole, from 0; above 100 where more is used than there should be, 0 when there is no total. */
export const percent = (used: number, total: number): number =>
  total > 0 ? Math.max(0, Math.round((used / total) * 100)) : 0
