import type { DayFigures } from '../../ports/host/figures.ts'
import { FrequentNames, type NamesRoom } from './frequent-names.ts'
import { VisitorSketch } from './visitor-sketch.ts'

/** How many names of each kind are told apart. */
export type NameCounts = Readonly<
  Record<'pages' | 'missing' | 'referrers' | 'bots' | 'slow', number>
>

/** At most, on a day. */
export const NAMES = {
  pages: 100,
  missing: 40,
  referrers: 50,
  bots: 80,
  slow: 50,
} as const satisfies NameCounts
/** The same of a day that is over. */
export const KEPT_NAMES = {
  pages: 30,
  missing: 15,
  referrers: 20,
  bots: 30,
  slow: 15,
} as const satisfies NameCounts
const KINDS = Object.keys(NAMES) as (keyof typeof NAMES)[]

/** Statuses that are counted one by one (RFC 9110 and what servers are known to send). */
const STATUSES = new Set([
  ...[101, 103, 200, 201, 202, 203, 204, 205, 206, 207, 300, 301, 302, 303, 304, 307, 308],
  ...[400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418],
  ...[421, 422, 423, 424, 425, 426, 428, 429, 431, 451, 499],
  ...[500, 501, 502, 503, 504, 505, 507, 508, 509, 520, 521, 522, 523, 524],
])

/** What a status is counted as. */
export const statusName = (status: number): string =>
  STATUSES.has(status) ? String(status) : `${Math.min(9, Math.max(0, Math.trunc(status / 100)))}xx`

/** Adds up what is counted of a site on a day, in bounded room. */
export class SiteDay {
  requests = 0
  bytes = 0
  hits = 0
  misses = 0
  botRequests = 0
  botBytes = 0
  /** The most frequent two apart, so that a hit needs no look-up. */
  ok = 0
  notModified = 0
  readonly statuses = new Map<string, number>()
  readonly visitors = new VisitorSketch()
  readonly pages: FrequentNames
  readonly missing: FrequentNames
  readonly referrers: FrequentNames
  readonly bots: FrequentNames
  readonly slow: FrequentNames

  /** `room`: names that this one and others may hold together; default: no bound but its own. */
  constructor(room?: NamesRoom, names: NameCounts = NAMES) {
    this.pages = new FrequentNames(names.pages, room)
    this.missing = new FrequentNames(names.missing, room)
    this.referrers = new FrequentNames(names.referrers, room)
    // A fixed list: no visitor can take its room.
    this.bots = new FrequentNames(names.bots)
    this.slow = new FrequentNames(names.slow, room)
  }

  /** How many names it holds of the room that it shares. */
  get names(): number {
    return this.pages.size + this.missing.size + this.referrers.size + this.slow.size
  }

  /** Counts an answer by its status. */
  status(status: number): void {
    if (status === 200) this.ok++
    else if (status === 304) this.notModified++
    else this.#addStatus(statusName(status), 1)
  }

  /** Adds what was counted elsewhere. */
  add(other: DayFigures): void {
    this.requests += other.requests
    this.bytes += other.bytes
    this.hits += other.hits
    this.misses += other.misses
    this.botRequests += other.bot_requests
    this.botBytes += other.bot_bytes
    for (const [name, count] of Object.entries(other.statuses)) this.#addStatus(name, count)
    this.visitors.merge(other.visitors)
    for (const kind of KINDS) this[kind].merge(other[kind])
  }

  /** `most`: how many names of each kind it has at most. */
  figures(most: NameCounts = NAMES): DayFigures {
    const statuses = new Map(this.statuses)
    for (const [name, count] of [['200', this.ok] as const, ['304', this.notModified] as const])
      if (count > 0) statuses.set(name, (statuses.get(name) ?? 0) + count)
    return {
      requests: this.requests,
      bytes: this.bytes,
      hits: this.hits,
      misses: this.misses,
      bot_requests: this.botRequests,
      bot_bytes: this.botBytes,
      statuses: Object.fromEntries(statuses),
      visitors: this.visitors.toText(),
      pages: this.pages.list(false, most.pages),
      missing: this.missing.list(false, most.missing),
      referrers: this.referrers.list(false, most.referrers),
      bots: this.bots.list(false, most.bots),
      slow: this.slow.list(true, most.slow),
    }
  }

  #addStatus(name: string, count: number): void {
    this.statuses.set(name, (this.statuses.get(name) ?? 0) + count)
  }
}
