import type { SiteGuard, VirtualHostConfig } from '../../domain/config/config-types.ts'

/** What a guard looks at. */
export interface GuardedRequest {
  method: string
  headers: Headers
  vhost: VirtualHostConfig
  guard: SiteGuard
  /** Requested name. */
  host: string
  port: number | null
  secure: boolean
  clientAddress: string
  /** Decoded, slashes in a row being one. */
  path: string
  query: string | null
  /** Made inside the server, for everybody: what is about a client does not count. */
  isOurs: boolean
}

/** Which setting of a site decided. */
export type GuardRule =
  'deny' | 'allow' | 'www' | 'maintenance' | 'rate-limit' | 'redirect' | 'password' | 'hotlink'

/** What a site's settings answer in place of the site. */
export interface GuardAnswer {
  rule: GuardRule
  status: number
  headers: Record<string, string>
}
