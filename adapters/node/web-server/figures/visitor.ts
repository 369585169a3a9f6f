import type { CountedName } from '#handlers/domain/figures/frequent-names.ts'
import type { SiteFigures } from './site-figures.ts'

/**
 * Who asks, for figures: the same object as long as a connection repeats its head, so
 * that what follows from it is found out once. It lives no longer than the connection.
 */
export class Visitor {
  /** The requested name: lower case, without port. */
  readonly host: string
  /** The client's, as the access log has it. */
  readonly address: string
  readonly agent: string | null
  readonly referer: string | null
  /** The X-Forwarded-For field, which is asked for where a trusted proxy sent the request. */
  readonly forwarded: () => string | null
  /** State of the meter that `site`, `isProxied` and `bot` were found out in. */
  edition = -1
  site: SiteFigures | null = null
  /** Others come over the same connection: each head may be another visitor's. */
  isProxied = false
  /** Null: a person's browser. */
  bot: string | null = null
  /** The site that it came from; null: none, or this one. Undefined: nobody asked yet. */
  from: string | null | undefined = undefined
  /** Where that was counted last, and in which `turn` of the site. */
  fromCounted: CountedName | null = null
  fromTurn = -1

  constructor(
    host: string,
    address: string,
    agent: string | null,
    referer: string | null,
    forwarded: () => string | null,
  ) {
    this.host = host
    this.address = address
    this.agent = agent
    this.referer = referer
    this.forwarded = forwarded
  }

  /** Who sends the next head on the same connection; what is known of this one is not found out again. */
  next(host: string, agent: string | null, referer: string | null): Visitor {
    const isSame = host === this.host && agent === this.agent && !this.isProxied
    if (isSame && referer === this.referer) return this
    const next = new Visitor(host, this.address, agent, referer, this.forwarded)
    if (!isSame) return next
    next.edition = this.edition
    next.site = this.site
    next.bot = this.bot
    return next
  }
}
