/** What a load generator is to ask for. */
export interface Target {
  /** Of 127.0.0.1. */
  port: number
  path: string
  host: string
  /** Sent besides `Host`; names in lower case. */
  headers: Readonly<Record<string, string>>
  connections: number
  /** `h1`: wrk. `tls`, `h2`: h2load over TLS 1.3. */
  protocol: 'h1' | 'tls' | 'h2'
  /** Pages `<path><number>` instead of one, one after the other or any of them; wrk only. */
  numbered?: { from: number; count: number; order: 'next' | 'any' }
  /** Answers are refusals, and do not count as failures; wrk only. Default false. */
  refused?: boolean
  /** Streams of an HTTP/2 connection. Default 1. */
  streams?: number
}

/** The path, of numbered pages that of the first. */
export const firstPath = ({ path, numbered }: Target): string =>
  numbered === undefined ? path : `${path}${numbered.from}`

/** What a run of a load generator amounted to. */
export interface LoadResult {
  requests: number
  seconds: number
  bytes: number
  /** Answers that are not 2xx, and connections, reads and writes that failed or timed out. */
  failures: number
  /** Of the answers' times, in milliseconds; null where the generator does not say. */
  p99Ms: number | null
}
