import type { HostPorts } from '../../ports/host/host.ts'
import { AppError } from '../../errors.ts'
import type { Report } from '../../ports/jobs.ts'
import type { WarmProgress } from '../../ports/host/cache/page-cache.ts'
import { createOneAtATime } from '../journal/one-at-a-time.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** How warming a site ended. */
export interface WarmResult {
  /** Stored anew. */
  done: number
  skipped: number
  failed: number
  /** Stored already, or under way for somebody else. */
  duplicates: number
  rejected: { url: string; reason: string }[]
  problems: { url: string; reason: string }[]
  /** False where it takes longer than is waited for; the rest goes on by itself. */
  finished: boolean
}

const POLL_MS = 400
const PATIENCE_MS = 15 * 60_000
/** Rejected URLs that are named. */
const MAX_NAMED = 50

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, POLL_MS))
const NOTHING: WarmProgress = {
  queued: 0,
  done: 0,
  skipped: 0,
  failed: 0,
  finding: false,
  problems: [],
}

/** Has pages of a site warmed, one order a site at a time, and follows them to their end. */
export const createWarmSite = (
  deps: Pick<ServiceDeps, 'store' | 'log' | 'instance' | 'clock' | 'host'>,
) => {
  const { clock } = deps
  const oneAtATime = createOneAtATime(deps)

  const follow = async (
    { pageCache }: Pick<HostPorts, 'pageCache'>,
    batch: string,
    report?: Report,
  ): Promise<[WarmProgress, boolean]> => {
    const untilMs = clock.nowMs() + PATIENCE_MS
    for (;;) {
      const progress = (await pageCache.warmProgress({ batch })) ?? NOTHING
      const { queued, done, skipped, failed, finding } = progress
      const ended = done + skipped + failed
      if (!finding && ended >= queued) return [progress, true]
      if (clock.nowMs() >= untilMs) return [progress, false]
      report?.(
        finding ? 'Looking for pages' : 'Warming pages',
        `${ended} of ${queued}`,
        queued === 0 ? 0 : (ended / queued) * 100,
      )
      await pause()
    }
  }

  /** 429 while another order of the site is under way. */
  const warm = async (
    domain: string,
    order: { urls: string[]; discover: boolean },
    report?: Report,
  ): Promise<WarmResult> => {
    const batch = crypto.randomUUID()
    report?.('Asking the web server', domain, 0)
    const accepted = await deps.host.pageCache.warm({ domain, batch, ...order })
    const [progress, finished] =
      accepted.queued > 0 || accepted.finding
        ? await follow(deps.host.ofDomain(domain), batch, report)
        : [NOTHING, true]
    const { done, skipped, failed, problems } = progress
    return {
      done,
      skipped,
      failed,
      duplicates: accepted.duplicates,
      rejected: accepted.rejected.slice(0, MAX_NAMED),
      problems,
      finished,
    }
  }

  /** 429 while another order of the site is under way, in whichever instance of the panel. */
  return (domain: string, order: { urls: string[]; discover: boolean }, report?: Report) =>
    oneAtATime(
      `warm:${domain}`,
      () =>
        new AppError(429, `${domain} is being warmed already. Try again when that is done.`, {
          headers: { 'retry-after': '10' },
        }),
      () => warm(domain, order, report),
    )
}
