import { type SiteObservations, SiteTallies, SiteTally } from '#edge-cache/index.ts'

const STEP_MS = 6 * 3_600_000
/** The step under way and those of the 18 hours before it. */
const STEPS = 4

/** Of one step and all sites together. */
const MAX_STEP_BYTES = 8 * 2 ** 20
/** Cookies and pages that a site keeps of a step that is over. */
const KEPT_OF_ENDED = 16

interface Step {
  startMs: number
  sites: SiteTallies
}

/** What all workers saw at one site in the last 18 to 24 hours. */
export interface SiteInsight extends SiteObservations {
  /** Wall clock: what was seen before it is not in here. */
  sinceMs: number
}

/**
 * What the workers saw of the sites' visitors, in steps of six hours: the oldest
 * goes when a new one begins, so that what is shown is of today and the room for
 * it has a bound. It begins with the web server and ends with it.
 */
export class ObservationLedger {
  readonly #nowMs: () => number
  readonly #startMs: number
  #steps: Step[] = []

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
    this.#startMs = nowMs()
  }

  note(sites: Readonly<Record<string, SiteObservations>>): void {
    const step = this.#current()
    for (const [site, seen] of Object.entries(sites)) step.sites.add(site, seen)
  }

  read(site: string): SiteInsight {
    const now = this.#current()
    const all = new SiteTally()
    for (const step of this.#steps) {
      const own = step.sites.read(site)
      if (own !== null) all.add(own)
    }
    const oldestMs = now.startMs - (STEPS - 1) * STEP_MS
    return { ...all.read(), sinceMs: Math.max(this.#startMs, oldestMs) }
  }

  /** What all that is kept holds in memory, rather too high. */
  get sizeBytes(): number {
    return this.#steps.reduce((sum, { sites }) => sum + sites.sizeBytes, 0)
  }

  #current(): Step {
    const startMs = Math.floor(this.#nowMs() / STEP_MS) * STEP_MS
    const last = this.#steps.at(-1)
    // A clock that was put back adds to what is there.
    if (last !== undefined && last.startMs >= startMs) return last
    last?.sites.keep(KEPT_OF_ENDED)
    const step: Step = { startMs, sites: new SiteTallies(MAX_STEP_BYTES) }
    const oldestMs = startMs - (STEPS - 1) * STEP_MS
    this.#steps = [...this.#steps.filter((one) => one.startMs >= oldestMs), step]
    return step
  }
}
