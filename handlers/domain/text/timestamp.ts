/** `YYYY-MM-DD HH:MM:SS` in UTC, the one shape of every timestamp on the wire and in the store. */
export const timestamp = (ms: number): string =>
  new Date(ms).toISOString().slice(0, 19).replace('T', ' ')

/** Unix ms of such a timestamp; NaN for what is none. */
export const timestampMs = (utc: string): number => Date.parse(`${utc.replace(' ', 'T')}Z`)

/** Whole unix seconds, as JWT claims and the login window use them. */
export const unixSecs = (ms: number): number => Math.floor(ms / 1000)
