import { timestamp } from '#handlers/domain/text/timestamp.ts'
import type { WorkerStall } from '#handlers/ports/host/web/worker-stall.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { Silence } from './worker-watch.ts'

/** What of a site is answered with 503. */
export interface HeldSite {
  /** Primary domain. */
  site: string
  /** Everything that its rules have a say in. */
  rules: boolean
  /** Request targets as received, without query. */
  paths: string[]
}

const DAY_MS = 24 * 3600 * 1000
/** Stalls that are remembered. */
const MAX_STALLS = 200
/** Two of a site within so much, and what stalled is held. */
const WINDOW_MS = 10 * 60 * 1000
const STRIKES = 2
/** Paths of one site that are held. */
const MAX_PATHS = 100

const withoutQuery = (target: string): string => {
  const mark = target.indexOf('?')
  return mark === -1 ? target : target.slice(0, mark)
}

interface StallLedgerDeps {
  nowMs(): number
  /** Gets the whole list of what is held whenever it changes. */
  tell(held: HeldSite[]): unknown
  log: Log
}

/** The stalls of the last day, and what is held because of them until it changes. */
export class StallLedger {
  readonly #deps: StallLedgerDeps
  #stalls: Silence[] = []
  readonly #held = new Map<string, HeldSite>()

  constructor(deps: StallLedgerDeps) {
    this.#deps = deps
  }

  /** Takes a silence when it is noticed; told again of the same one, it only knows better. */
  note(silence: Silence): void {
    if (this.#stalls.includes(silence)) return
    this.#stalls = [...this.#recent(DAY_MS), silence].slice(-MAX_STALLS)
    const { request } = silence
    if (request === null) return
    const strikes = this.#recent(WINDOW_MS).filter((one) => one.request?.site === request.site)
    if (strikes.length < STRIKES) return
    const held = this.#held.get(request.site) ?? { site: request.site, rules: false, paths: [] }
    const path = withoutQuery(request.target)
    if (request.part === 'rules') held.rules = true
    else if (!held.paths.includes(path)) held.paths = [...held.paths, path].slice(-MAX_PATHS)
    this.#held.set(request.site, held)
    this.#deps.log.error('a site holds up workers; what does it is answered with 503', {
      ...{ domain: request.site, what: request.part === 'rules' ? 'its rules' : path },
    })
    this.#deps.tell(this.held())
  }

  /** What is held now. */
  held(): HeldSite[] {
    return [...this.#held.values()]
  }

  /** The rules of a site were changed. */
  rulesChanged(site: string): void {
    const held = this.#held.get(site)
    if (held?.rules !== true) return
    held.rules = false
    if (held.paths.length === 0) this.#held.delete(site)
    this.#deps.log.info('the rules of a site are followed again, for they changed', {
      domain: site,
    })
    this.#deps.tell(this.held())
  }

  /** The configurations of sites were changed. */
  sitesChanged(sites: readonly string[]): void {
    const released = sites.filter((site) => this.#held.delete(site))
    if (released.length > 0) this.#deps.tell(this.held())
  }

  /** Of the last day, the latest last. */
  list(): WorkerStall[] {
    return this.#recent(DAY_MS).map(({ sinceMs, lengthMs, request, ended }) => ({
      at: timestamp(sinceMs),
      secs: Math.round(lengthMs / 100) / 10,
      ended,
      site: request?.site ?? null,
      method: request?.method ?? null,
      target: request?.target ?? null,
      part: request?.part ?? null,
      held: request !== null && this.#holds(request),
    }))
  }

  #holds({ site, part, target }: NonNullable<Silence['request']>): boolean {
    const held = this.#held.get(site)
    if (held === undefined) return false
    return part === 'rules' ? held.rules : held.paths.includes(withoutQuery(target))
  }

  #recent(withinMs: number): Silence[] {
    const sinceMs = this.#deps.nowMs() - withinMs
    return this.#stalls.filter((one) => one.sinceMs > sinceMs)
  }
}
