/** Told often, so that little is lost with a worker that is killed. */
const REPORT_MS = 5000

/**
 * Reports what `take` answers (what was noted since it was asked last, by name) every
 * few seconds, and whenever `now` is called; nothing is sent where nothing was noted.
 */
export const reportTaken = <T extends object>(
  take: () => T,
  send: (taken: T) => Promise<unknown>,
): { now(): Promise<void> } => {
  const now = async (): Promise<void> => {
    const taken = take()
    // Without the primary this worker is about to end.
    if (Object.keys(taken).length > 0) await send(taken).catch(() => undefined)
  }
  setInterval(() => void now(), REPORT_MS).unref()
  return { now }
}
