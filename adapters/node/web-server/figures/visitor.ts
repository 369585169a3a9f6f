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
  /** State of the meter that the rest was found out in. */
  edition = -1
  site: SiteFigures | null = null
  /** Null: a person's browser. */
  bot: string | null = null
  /** The site that it came from; null: none, or this one. */
  from: string | null = null
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
}
