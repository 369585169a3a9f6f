import type { SiteObservations } from '#edge-cache/observation.ts'

/** As often as counters, so that one look at a site fits together. */
const REPORT_MS = 5000

/** Reports what a worker saw of the sites' visitors every few seconds, and whenever `now` is called. */
export const reportObservations = (
  take: () => Record<string, SiteObservations>,
  send: (sites: Record<string, SiteObservations>) => Promise<unknown>,
): { now(): Promise<void> } => {
  const now = async (): Promise<void> => {
    const sites = take()
    // Without the primary this worker is about to end.
    if (Object.keys(sites).length > 0) await send(sites).catch(() => undefined)
  }
  setInterval(() => void now(), REPORT_MS).unref()
  return { now }
}
