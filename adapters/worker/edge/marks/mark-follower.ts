import type { Purge } from '#edge-cache/index.ts'
import { LEASE_MS, type FrontReport, type News } from './purge-authority.ts'
import type { MarksPort } from './page-marks.ts'

/** How long a request waits for news before it goes on without stored pages. */
const ASK_MS = 1500
/** After a failure only this seldom a request waits again. */
const RETRY_MS = 2000

/** What one isolate knows of purges. */
export interface MarkFollower {
  /** Whether stored pages may be shown now: nothing older than an acknowledged purge is among them. */
  isCurrent(): boolean
  /**
   * Asks for news where the leave has ended, or in the background where it soon will. Never
   * rejects: without news nothing that is stored is shown.
   */
  follow(): Promise<void>
  /** Asks something that changes marks, and applies what is told. Rejects where that cannot be reached. */
  ask(work: (marks: MarksPort, report: FrontReport) => Promise<News>): Promise<News>
}

/** Waits for `work` of the same request at most so long. */
const within = async (work: Promise<unknown>, ms: number): Promise<boolean> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    if (timer !== undefined) clearTimeout(timer)
  }
}

/**
 * `Date.now()` of a Worker stands still while it computes, so the moment of asking is not later
 * than it was, and a request that comes in sees the time at which it came.
 *
 * No request waits for what another one began: a promise of another request may never settle.
 */
export const createMarkFollower = (deps: {
  /** Made anew for each call, since such objects belong to the request that made them. */
  marks(): MarksPort
  report(): FrontReport
  /** Another history of numbers: what is stored belongs to it no more. */
  onEpoch(epoch: string): void
  onPurge(purge: Purge): void
  onCookies(cookies: NonNullable<News['cookies']>): void
  nowMs(): number
  background(work: Promise<unknown>): void
  onFault(error: unknown): void
}): MarkFollower => {
  const { nowMs } = deps
  let epoch = ''
  let epochSinceMs = 0
  let untilMs = 0
  let askedMs = 0
  let failedMs = Number.NEGATIVE_INFINITY

  const take = (news: News, sentMs: number, isGlance: boolean): void => {
    if (news.epoch !== epoch) {
      // Sent before the present history was heard of: late news of the one before it.
      if (sentMs < epochSinceMs) return
      epoch = news.epoch
      epochSinceMs = sentMs
      untilMs = 0
      deps.onEpoch(epoch)
    }
    for (const purge of news.purges) deps.onPurge(purge)
    if (news.cookies) deps.onCookies(news.cookies)
    if (!isGlance) return
    const wasSetBack = nowMs() < untilMs - LEASE_MS
    untilMs = wasSetBack ? sentMs + LEASE_MS : Math.max(untilMs, sentMs + LEASE_MS)
  }
  const glance = async (): Promise<void> => {
    const sentMs = nowMs()
    askedMs = sentMs
    try {
      take(await deps.marks().glance(deps.report()), sentMs, true)
      failedMs = Number.NEGATIVE_INFINITY
    } catch (error) {
      failedMs = nowMs()
      deps.onFault(error)
    }
  }
  /** A clock that was set back before the moment of asking says nothing of how much is left. */
  const isCurrent = (): boolean => {
    const now = nowMs()
    return now < untilMs && now >= untilMs - LEASE_MS
  }

  return {
    isCurrent,
    async follow() {
      const now = nowMs()
      if (isCurrent()) {
        const isSoonOver = untilMs - now < LEASE_MS / 2
        if (isSoonOver && now - askedMs >= LEASE_MS / 2) deps.background(glance())
        return
      }
      if (now >= failedMs && now - failedMs < RETRY_MS) return
      const asking = glance()
      if (await within(asking, ASK_MS)) return
      failedMs = nowMs()
      deps.background(asking)
    },
    async ask(work) {
      const sentMs = nowMs()
      const news = await work(deps.marks(), deps.report())
      take(news, sentMs, false)
      return news
    },
  }
}
