/** How one address of a site's application fares, of one worker or of all. */
export interface UpstreamState {
  /** Primary name of the virtual host. */
  domain: string
  /** As it is configured. */
  upstream: string
  weight: number
  /** Workers that this is the sum of. */
  workers: number
  /** Of them, those that send it requests: each finds out for itself. */
  up: number
  /** Requests under way. */
  active: number
  /** Since each worker started. */
  requests: number
  /** Requests that it did not answer. */
  failures: number
}
