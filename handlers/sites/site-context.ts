import type { PageRefresh } from '../../edge-cache/page-cache.ts'

/** What only the listener knows of a request; never taken from a header. */
export interface SiteContext {
  clientAddress: string
  clientPort: number
  serverAddress: string
  serverPort: number
  /** Whether the connection is TLS. */
  secure: boolean
  protocol: 'HTTP/1.0' | 'HTTP/1.1' | 'HTTP/2.0'
  /** The request target's path and query exactly as received, e.g. `/a%2Fb?c=d`. */
  rawTarget: string
  /** The page is to be filled anew although it is stored; only ever set inside the server. */
  refresh?: PageRefresh
}

/** Answers a request at the sites' listeners. */
export type SiteHandler = (request: Request, context: SiteContext) => Promise<Response>
