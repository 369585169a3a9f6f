/** No pause is longer, whatever the base and the number of attempts. */
const MAX_DELAY_MS = 300_000

/**
 * Milliseconds before the repetition that follows failed attempt number
 * `attempt` (from 1): the base, doubled each time, plus up to half of that at
 * random, so that targets that failed together do not come back together.
 * `random` gives 0 to 1.
 */
export const retryDelayMs = (baseMs: number, attempt: number, random: () => number): number => {
  const plainMs = Math.min(baseMs * 2 ** Math.min(attempt - 1, 30), MAX_DELAY_MS)
  return Math.round(plainMs * (1 + random() / 2))
}
