import { botName } from '#handlers/domain/figures/bot-name.ts'
import { dayText } from '#handlers/domain/figures/figures-day.ts'
import type { NamesRoom } from '#handlers/domain/figures/frequent-names.ts'
import { isAsset, pageName } from '#handlers/domain/figures/page-name.ts'
import { referrerHost } from '#handlers/domain/figures/referrer-host.ts'
import { SiteDay } from '#handlers/domain/figures/site-day.ts'
import type { FiguresPart } from '#handlers/ports/host/figures.ts'
import { addressKey } from '../connections/address-key.ts'
import type { KnownTarget } from '../http1/head/known-targets.ts'
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
  readonly #clientOf: (address: string, forwarded: () => string | null) => string
  readonly #key: VisitorKey
  readonly #sites = new Map<string, SiteFigures>()
  readonly #bots = new Map<string, string | null>()
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
    /** The visitor's address, of the connection's and the X-Forwarded-For field. */
    clientOf(address: string, forwarded: () => string | null): string
    key: VisitorKey
  }) {
    this.#clock = deps.clock
    this.#siteOf = deps.siteOf
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
    const isPart = known === null ? isAsset(target) : (known.isAsset ??= isAsset(target))
    if (isPart) return
    const { day, turn } = site
    if (cached === 'HIT') day.hits++
    else if (cached === 'MISS') day.misses++
    if (visitor.bot !== null) return
    const isMissing = status === 404
    if (visitor.from !== null && !isMissing) this.#countReferrer(visitor, visitor.from, site)
    if (!isMissing && known?.counted?.isKept === true && known.countedTurn === turn) {
      known.counted.weight++
      return
    }
    const name = pageName(target)
    if (name === null) return
    const counted = (isMissing ? day.missing : day.pages).of(name)
    if (counted === null) return
    counted.weight++
    if (known === null || isMissing) return
    known.counted = counted
    known.countedTurn = turn
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
    if (site === null || status === 101 || isAsset(target)) return
    const { day } = site
    if (cached === 'HIT') day.hits++
    else if (cached === 'MISS') day.misses++
    const name = pageName(target)
    if (name === null) return
    const isFound = (status >= 200 && status < 300) || status === 304
    // What came from the cache says nothing of how long the page takes.
    if ((isFound && cached !== 'HIT') || status >= 500)
      day.slow.addTime(name, Math.max(1, Math.round(durationMs)))
    if (visitor.bot !== null) return
    if (isFound) {
      if (visitor.from !== null) this.#countReferrer(visitor, visitor.from, site)
      day.pages.add(name)
    } else if (status === 404 || status === 410) day.missing.add(name)
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

  #countReferrer(visitor: Visitor, from: string, { day, turn }: SiteFigures): void {
    const isKnown = visitor.fromCounted?.isKept === true && visitor.fromTurn === turn
    const counted = isKnown ? visitor.fromCounted : day.referrers.of(from)
    if (counted === null) return
    counted.weight++
    visitor.fromCounted = counted
    visitor.fromTurn = turn
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
    if (visitor.bot !== null) return
    const from = referrerHost(visitor.referer)
    visitor.from =
      from === null || this.#siteOf(from) === name || this.#siteOf(`www.${from}`) === name
        ? null
        : from
    const address = addressKey(this.#clientOf(visitor.address, visitor.forwarded))
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
