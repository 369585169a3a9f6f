const HOUR_MS = 3_600_000
/**
 * A day between two runs, six hours in which a missed one is made up for, and six for
 * a run over many large accounts: after that no backup is coming.
 */
const OVERDUE_MS = (24 + 6 + 6) * HOUR_MS

const millisecondsOf = (utc: string): number => Date.parse(`${utc.replace(' ', 'T')}Z`)

/** Whether a daily backup of an account should have been there; times are UTC, `YYYY-MM-DD HH:MM:SS`. */
export const isBackupOverdue = (
  { newest, accountSince }: { newest: string | null; accountSince: string },
  nowMs: number,
): boolean => nowMs - millisecondsOf(newest ?? accountSince) > OVERDUE_MS
