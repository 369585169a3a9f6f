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
  'deny' | 'allow' | 'www' | 'maintenance' | 'redirect' | 'password' | 'hotlink'

/** What a site's settings answer in place of the site. */
export interface GuardAnswer {
  rule: GuardRule
  status: number
  headers: Record<string, string>
}

/** One step of the guard, as the tester tells it. */
export interface GuardStep {
  rule: GuardRule
  /** `passed`: it has a say and lets the request through. `skipped`: it is not for this request. */
  outcome: 'passed' | 'stopped' | 'skipped'
  /** What it is about: a path, an address. */
  detail: string
}
