import { botName } from '#handlers/domain/figures/bot-name.ts'
import { dayText } from '#handlers/domain/figures/figures-day.ts'
import type { NamesRoom } from '#handlers/domain/figures/frequent-names.ts'
import { referrerHost } from '#handlers/domain/figures/referrer-host.ts'
import { SiteDay } from '#handlers/domain/figures/site-day.ts'
import type { FiguresPart } from '#handlers/ports/host/figures.ts'
import { addressKey } from '#handlers/domain/text/client-address.ts'
import type { KnownTarget } from '../http1/head/known-targets.ts'
import { NotedTargets, type NotedTarget } from './noted-targets.ts'
import type { SiteFigures } from './site-figures.ts'
import type { Visitor } from './visitor.ts'
import type { VisitorKey } from './visitor-key.ts'

/** Names (of pages, referrers and so on) that a worker holds of all sites between two reports. */
const MAX_NAMES = 40_000
/** User-Agent fields whose program was found out lately. */
const MAX_AGENTS = 1000
const MAX_AGENT_LENGTH = 512

/** Answers of the fast path that are asked for by somebody. */
type Cached = 'HIT' | 'MISS' | null

/**
 * Counts what owners of sites are shown of their visitors. An answer of the fast path
 * costs additions to fields that the connection (`Visitor`) and the target (`KnownTarget`)
 * lead to; hashes, names and classes are found out once for each of them.
 */
export class FiguresMeter {
  readonly #clock: { readonly day: number }
  readonly #siteOf: (host: string) => string | null
  readonly #ownerOf: (host: string) => string | null
  readonly #isProxy: (address: string) => boolean
  readonly #clientOf: (address: string, forwarded: string | null) => string
  readonly #key: VisitorKey
  readonly #sites = new Map<string, SiteFigures>()
  readonly #bots = new Map<string, string | null>()
  readonly #targets = new NotedTargets()
  /** Changed whenever something that visitors remember may be another one. */
  #edition = 0
  #turn = 0
  #day: number
  #room: NamesRoom = { left: MAX_NAMES }
  /** Of days that are over. */
  #over: FiguresPart[] = []

  constructor(deps: {
    /** Days since 1970, UTC. */
    clock: { readonly day: number }
    /** The virtual host that answers to a name; null for none. */
    siteOf(host: string): string | null
    /** The one whose name it is, not one that answers at names of nobody. Default: `siteOf`. */
    ownerOf?(host: string): string | null
    /** Whether an address is of a trusted proxy, whose requests are of others. */
    isProxy(address: string): boolean
    /** The visitor's address, of that of a proxy and the X-Forwarded-For field. */
    clientOf(address: string, forwarded: string | null): string
    key: VisitorKey
  }) {
    this.#clock = deps.clock
    this.#siteOf = deps.siteOf
    this.#ownerOf = deps.ownerOf ?? deps.siteOf
    this.#isProxy = deps.isProxy
    this.#clientOf = deps.clientOf
    this.#key = deps.key
    this.#day = deps.clock.day
  }

  /** An answer of the fast path. `known`: its target where that is asked for often; `target`: with its query, else. */
  hit(
    visitor: Visitor,
    known: KnownTarget | null,
    target: string,
    status: number,
    bytes: number,
    cached: Cached,
  ): void {
    const site = this.#count(visitor, status, bytes)
    if (site === null) return
    const noted =
      known === null ? this.#targets.of(target) : (known.noted ??= this.#targets.of(target))
    if (noted.isAsset) return
    const { day } = site
    if (cached === 'HIT') day.hits++
    else if (cached === 'MISS') day.misses++
    if (visitor.bot !== null) return
    if (status === 404) return this.#countMissing(noted, day)
    this.#countReferrer(visitor, site)
    this.#countPage(noted, site)
  }

  /** An answer of the slow path, which took `durationMs`. */
  record(
    visitor: Visitor,
    target: string,
    status: number,
    bytes: number,
    cached: string | null,
    durationMs: number,
  ): void {
    const site = this.#count(visitor, status, bytes)
    if (site === null || status === 101) return
    const noted = this.#targets.of(target)
    if (noted.isAsset) return
    const { day } = site
    if (cached === 'HIT') day.hits++
    else if (cached === 'MISS') day.misses++
    const isFound = (status >= 200 && status < 300) || status === 304
    // What came from the cache says nothing of how long the page takes.
    const isMade = (isFound && cached !== 'HIT') || status >= 500
    if (isMade && noted.name !== null)
      day.slow.addTime(noted.name, Math.max(1, Math.round(durationMs)))
    if (visitor.bot !== null) return
    if (status === 404 || status === 410) this.#countMissing(noted, day)
    if (!isFound) return
    this.#countReferrer(visitor, site)
    this.#countPage(noted, site)
  }

  /** Names may lead to other sites now. */
  hostsChanged(): void {
    this.#edition++
    for (const site of this.#sites.keys()) if (this.#siteOf(site) !== site) this.#sites.delete(site)
  }

  /** What was counted since the last call. */
  take(): FiguresPart[] {
    this.#keepDay()
    const parts = this.#over
    this.#over = []
    this.#takeDay(parts)
    return parts
  }

  #keepDay(): void {
    if (this.#clock.day === this.#day) return
    this.#takeDay(this.#over)
    this.#day = this.#clock.day
    // With another key every visitor is somebody else.
    this.#edition++
  }

  #takeDay(into: FiguresPart[]): void {
    const day = dayText(this.#day)
    this.#room = { left: MAX_NAMES }
    for (const one of this.#sites.values()) {
      if (one.day.requests === 0) continue
      into.push({ site: one.site, day, figures: one.day.figures() })
      one.day = new SiteDay(this.#room)
      one.turn = this.#turn++
    }
  }

  /** Counts what every answer has; its site, null where it has none. */
  #count(visitor: Visitor, status: number, bytes: number): SiteFigures | null {
    if (this.#clock.day !== this.#day) this.#keepDay()
    if (visitor.edition !== this.#edition) this.#meet(visitor)
    const { site } = visitor
    if (site === null) return null
    const { day } = site
    day.requests++
    day.bytes += bytes
    if (status === 200) day.ok++
    else day.status(status)
    if (visitor.bot !== null) {
      day.botRequests++
      day.botBytes += bytes
      day.bots.add(visitor.bot)
    }
    return site
  }

  #countPage(noted: NotedTarget, { day, turn }: SiteFigures): void {
    const isKnown = noted.counted?.isKept === true && noted.turn === turn
    const counted = isKnown ? noted.counted : noted.name === null ? null : day.pages.of(noted.name)
    if (counted === null) return
    counted.weight++
    noted.counted = counted
    noted.turn = turn
  }

  #countMissing({ name }: NotedTarget, day: SiteDay): void {
    if (name !== null) day.missing.add(name)
  }

  #countReferrer(visitor: Visitor, { site, day, turn }: SiteFigures): void {
    const from = visitor.from === undefined ? this.#fromOf(visitor, site) : visitor.from
    if (from === null) return
    const isKnown = visitor.fromCounted?.isKept === true && visitor.fromTurn === turn
    const counted = isKnown ? visitor.fromCounted : day.referrers.of(from)
    if (counted === null) return
    counted.weight++
    visitor.fromCounted = counted
    visitor.fromTurn = turn
  }

  /** The other site that the visitor came from. */
  #fromOf(visitor: Visitor, site: string): string | null {
    const from = referrerHost(visitor.referer)
    const isOwn =
      from !== null && [from, `www.${from}`].some((name) => this.#ownerOf(name) === site)
    return (visitor.from = isOwn ? null : from)
  }

  /** Finds out what follows from the head, and counts whom it comes from. */
  #meet(visitor: Visitor): void {
    visitor.edition = this.#edition
    const name = visitor.host === '' ? null : this.#siteOf(visitor.host)
    if (name === null) {
      visitor.site = null
      return
    }
    let site = this.#sites.get(name)
    if (site === undefined) {
      site = { site: name, day: new SiteDay(this.#room), turn: this.#turn++ }
      this.#sites.set(name, site)
    }
    visitor.site = site
    visitor.bot = this.#botOf(visitor.agent)
    visitor.from = undefined
    visitor.isProxied = this.#isProxy(visitor.address)
    if (visitor.bot !== null) return
    const address = addressKey(
      visitor.isProxied ? this.#clientOf(visitor.address, visitor.forwarded()) : visitor.address,
    )
    site.day.visitors.add(this.#key.hashOf(this.#day, name, address, visitor.agent))
  }

  #botOf(agent: string | null): string | null {
    if (agent === null || agent.length > MAX_AGENT_LENGTH) return botName(agent)
    const known = this.#bots.get(agent)
    if (known !== undefined) return known
    if (this.#bots.size >= MAX_AGENTS) this.#bots.clear()
    const bot = botName(agent)
    this.#bots.set(agent, bot)
    return bot
  }
}
