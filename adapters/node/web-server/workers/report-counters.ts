import type { WorkerCounters } from './messages.ts'

/** Tells what was counted, now and then, so that little is lost with a worker that is killed. */
const REPORT_MS = 5000

/** Reports counters when they changed: every few seconds, and whenever `now` is called. */
export const createCounterReports = (
  read: () => WorkerCounters,
  send: (counters: WorkerCounters) => Promise<unknown>,
): { now(): Promise<void> } => {
  let told = ''
  const now = async (): Promise<void> => {
    const counters = read()
    const text = JSON.stringify(counters)
    if (text === told) return
    told = text
    // Without the primary this worker is about to end.
    await send(counters).catch(() => undefined)
  }
  setInterval(() => void now(), REPORT_MS).unref()
  return { now }
}
