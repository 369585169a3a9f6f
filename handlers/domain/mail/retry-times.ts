const MINUTE_MS = 60_000
const FIRST_MS = 5 * MINUTE_MS
const LONGEST_MS = 4 * 60 * MINUTE_MS
const RELAY_FIRST_MS = 10_000
const RELAY_LONGEST_MS = 5 * MINUTE_MS

/** Pause after so many tries of a message that the relay put off: 5 minutes, doubling up to 4 hours. */
export const messagePauseMs = (attempts: number): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 10))

/** Pause after the relay could not be reached so often in a row: 10 seconds, doubling up to 5 minutes. */
export const relayPauseMs = (failures: number): number =>
  Math.min(RELAY_LONGEST_MS, RELAY_FIRST_MS * 2 ** Math.min(failures - 1, 10))
