/** What of a request is under way: the site's own rules, or anything else. */
export type TurnPart = 'request' | 'rules'

/** Told whose work the process does, for a watchdog and for who counts it. */
export interface SiteTurns {
  /**
   * What runs from now on until the event loop goes on, or until the next such call, runs
   * for this request. `site` is a primary domain, `target` the request target as received.
   * To be called again after each wait that others' work may have filled.
   */
  enter(site: string, method: string, target: string, part: TurnPart): void
}
