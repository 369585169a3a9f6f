import type { PageTail } from '#handlers/sites/responses/incomplete-page.ts'
import type { SiteContext } from '#handlers/sites/site-context.ts'
import type { WritePhpError } from './error-output.ts'
import type { CountedBody } from './request-body.ts'
import type { StaleConnection } from './stale-connection.ts'

/** One request, and who is told of it. */
export interface ExchangeOptions {
  method: string
  /** The request's head in the connection's protocol. */
  head: Buffer
  body: CountedBody | null
  /** Without a byte in either direction for this long, the exchange is given up. */
  timeoutMs: number
  signal: AbortSignal
  writeError: WritePhpError
  domain: string
  /** As of `PhpCall`. */
  streaming(): PageTail
  /** As of `SiteContext`; called before the response's head is read. */
  turn?: SiteContext['turn']
  /** Answers instead of an exchange that rejects with `StaleConnection`. Default: it rejects. */
  again?(error: StaleConnection): Promise<Response>
  /** Called once when the connection is free, or of no use any more. */
  release(): void
}
