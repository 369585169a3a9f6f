import type { SiteCacheRule } from '../web-server.ts'

/** A site as a front has it; what answers its visitors is the host that it lies on. */
export interface FrontSite {
  /** Primary name: A-label, lower case. */
  domain: string
  aliases: string[]
  suspended: boolean
  /** The account's traffic of this month is used up; its sites answer 509. */
  overBandwidth: boolean
  /** Version of the pair that is shown; null: none. */
  certificate: string | null
  redirectHttps: boolean
  /** Answers at names that no site has; default: it does not. */
  defaultHost?: true
  cache: SiteCacheRule
  /** Where its host lets fronts in (`address:port`), and what that is called at the web channel. */
  origin: { address: string; channel: string }
}

/** Names one pair of a site. */
export interface PairName {
  domain: string
  version: string
}

/** A certificate with its chain, and its key: PEM. */
export interface CertificatePair {
  certificate: string
  key: string
}

/** What a front has. */
export interface HeldSites {
  /** Names this very set of sites. */
  edition: string
  sites: FrontSite[]
  /** Primary names of those whose files do not say any more what was written. */
  changed: string[]
}

/** The sites of a front. It has no accounts: what it is told of is all that it knows. */
export interface FrontSitesPort {
  /** Names the set of sites: the same for the same sites, whoever wrote them and when. */
  edition(): Promise<string>
  /** All of it. */
  held(): Promise<HeldSites>
  /** Those of the pairs that it does not have. */
  lacking(input: { pairs: PairName[] }): Promise<PairName[]>
  /** Keeps pairs that no site need show yet. 400 for one that does not hold for its domain. */
  keepPairs(input: { pairs: (PairName & CertificatePair)[] }): Promise<void>
  /**
   * Writes and removes sites, then loads them all at once; pairs that no site shows any more go. Answers the
   * edition. 409 where it has another than `since`, where a pair is lacking, or where the web server
   * refuses the result: then nothing is changed.
   */
  apply(input: { since: string; put: FrontSite[]; remove: string[] }): Promise<{ edition: string }>
}
