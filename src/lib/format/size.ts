import { decimal } from './decimal.ts'

export interface Quantity {
  value: string
  unit: string
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

const rounded = (value: number): string =>
  value >= 100 || Number.isInteger(value) ? decimal(value, 0) : decimal(value, 1)

/** A byte count in the unit that keeps it readable, decimal steps of `base` (1024 for disks and memory). */
export const sizeOf = (bytes: number, base = 1024): Quantity => {
  let value = Math.max(0, bytes)
  let index = 0
  while (value >= base && index < UNITS.length - 1) {
    value /= base
    index += 1
  }
  return { value: rounded(value), unit: UNITS[index] ?? 'B' }
}

const asText = ({ value, unit }: Quantity): string => `${value} ${unit}`

/** e.g. `3.1 GB` for 3174 MB. */
export const megabytes = (mb: number): string =>
  mb < 1 ? '0 MB' : asText(sizeOf(mb * 1024 * 1024))

/** e.g. `41.2 MB`. */
export const bytes = (count: number): string => asText(sizeOf(count))

/** Quotas are sold in thousands: 5000 MB reads `5 GB`. */
export const quota = (mb: number): string => asText(sizeOf(mb * 1e6, 1000))

/** What is used of such a quota, in the same thousands; counted in whole MB, so a small site reads `< 1 MB`. */
export const usedOfQuota = (mb: number): string => (mb < 1 ? '< 1 MB' : quota(mb))

/** Two sizes in the unit of the larger: `{used:'3.1', total:'8.0', unit:'GB'}`. */
export const usedOf = (usedMb: number, totalMb: number) => {
  const unit = sizeOf(totalMb * 1024 * 1024).unit
  const divisor = 1024 ** (UNITS.indexOf(unit) - 2)
  const figure = (mb: number) => {
    const value = mb / divisor
    return value >= 100 ? decimal(value, 0) : decimal(value, 1)
  }
  return { used: figure(usedMb), total: figure(totalMb).replace(/[.,]0$/, ''), unit }
}

/** Whole, from 0; above 100 where more is used than there should be, 0 when there is no total. */
export const percent = (used: number, total: number): number =>
  total > 0 ? Math.max(0, Math.round((used / total) * 100)) : 0
