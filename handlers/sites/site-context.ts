import type { PageRefresh } from '../../edge-cache/index.ts'
import type { VirtualHostConfig } from '../domain/config/config-types.ts'
import type { TurnPart } from './origins/site-turns.ts'

/** What only the listener knows of a request; never taken from a header. */
export interface SiteContext {
  clientAddress: string
  clientPort: number
  serverAddress: string
  serverPort: number
  /** Whether the connection is TLS. */
  secure: boolean
  /** Name the TLS connection was made for, lower case; null or absent: the client named none. */
  serverName?: string | null
  protocol: 'HTTP/1.0' | 'HTTP/1.1' | 'HTTP/2.0'
  /** The request target's path and query exactly as received, e.g. `/a%2Fb?c=d`. */
  rawTarget: string
  /** The page is to be filled anew although it is stored; only ever set inside the server. */
  refresh?: PageRefresh
  /** The application is asked, past the page cache, and nothing is stored; only ever set inside the server. */
  sample?: true
  /** Set when the client asks to change to WebSocket and the listener can. */
  upgrade?: UpgradeOffer
  /** A front of this machine asks, which has a page cache itself; only ever set by the listener for fronts. */
  front?: true
  /** Sends 103 Early Hints with these `Link` values ahead of the response, where the client may get that. */
  earlyHints?(links: readonly string[]): void
  /** Says that what runs now runs for this request; set by the site handler. See `SiteTurns`. */
  turn?(part: TurnPart): void
  /**
   * Takes the fields that follow the response's body (RFC 9110, 6.5) before that ends;
   * none, before its head is written, where there may be some.
   */
  trailers?(fields: readonly (readonly [name: string, value: string])[]): void
  /** Told when the site answers a GET with one of its files, whole. */
  wholeFile?(file: WholeFile): void
  /** Told when a site without rules answers with our own page because nothing is at the path. */
  nothingThere?(vhost: VirtualHostConfig): void
}

/** A file that a site answered a request with. */
export interface WholeFile {
  vhost: VirtualHostConfig
  /** Normalised path that was asked for. */
  path: string
  /** Edition of the site's rules that the response was made under; empty: there are none. */
  edition: string
}

/** What a listener offers to the origin of a request that wants to become a WebSocket. */
export interface UpgradeOffer {
  /** Takes the connection that the application switched, and the fields of its 101. */
  accept(switched: SwitchedConnection): void
}

/** An application's connection after its 101. */
export interface SwitchedConnection {
  reason: string
  /** End-to-end and connection fields as the application wrote them. */
  fields: readonly (readonly [name: string, value: string])[]
  /** The runtime's own kind of byte stream. */
  connection: unknown
  /** Bytes that came with the head. */
  first: Uint8Array
  /** Seconds without a byte in either direction after which both ends are closed. */
  idleSecs: number
  /** The virtual host's primary domain. */
  domain: string
}

/** Answers a request at the sites' listeners. */
export type SiteHandler = (request: Request, context: SiteContext) => Promise<Response>
