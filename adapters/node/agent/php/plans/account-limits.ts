import type { AccountLimits } from '../../registry/types.ts'
import { MEBIBYTE } from '#handlers/domain/text/megabyte.ts'

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }
/** Bytes of a `memory_limit` as PHP writes it, e.g. `256M`; null for what is none. */
const bytesOf = (text: string): number | null => {
  const [, digits, unit] = /^(\d+)([KMG]?)$/i.exec(text) ?? []
  return digits === undefined ? null : Number(digits) * (UNITS[(unit ?? '').toUpperCase()] ?? 1)
}

/** The smaller of a script's `memory_limit` and what the account may use altogether. */
export const scriptMemory = (memoryLimit: string, limits: AccountLimits | null): string => {
  if (limits === null) return memoryLimit
  const bytes = bytesOf(memoryLimit)
  return bytes !== null && bytes <= limits.memoryMb * MEBIBYTE ? memoryLimit : `${limits.memoryMb}M`
}

/** Children of a master, which is a process of the account itself. */
export const mostChildren = (maxChildren: number, limits: AccountLimits | null): number =>
  limits === null ? maxChildren : Math.max(1, Math.min(maxChildren, limits.processes - 1))
