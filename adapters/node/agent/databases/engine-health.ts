/** What a database server that answers says of itself. */
export interface EngineHealth {
  /** Why it takes no changes; null: it does. */
  readOnly: string | null
  connections: { used: number; limit: number } | null
  damaged: { name: string; what: string }[]
  /** Transactions since the oldest that was cleaned up; null: the server has no such limit. */
  oldestTransactions: number | null
}

/** As many damaged tables as somebody reads. */
export const MOST_DAMAGED = 10

/** A number of an answer, whatever the driver makes of it. */
export const numberOf = (value: unknown): number => {
  const number = Number(value)
  return Number.isFinite(number) ? number : 0
}

const MOST_SHOWN = 300

/** A name or text of a tenant's, for terminals too: no control character of it gets there. */
export const shown = (value: unknown): string =>
  String(value)
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .slice(0, MOST_SHOWN)
