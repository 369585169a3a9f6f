import type { RuleRequest } from '../rewrite/rule-request.ts'
import type { Dependency } from '../rewrite/variables.ts'
import type { Settings } from './files/settings.ts'
import type { NormalTarget } from '../paths/request-path.ts'

/** What rules make of a request, before anything is read or run. */
export interface Plan {
  /** Answers at once: a status, for redirects with its address. Null: `target` is served. */
  answer: {
    status: number
    location: string | null
    realm: string | null
    /** What it says, by its name in the virtual host's `texts`. Default: the page for its status. */
    text?: string
  } | null
  /** What is served: the request's own address, or what rules made of it. */
  target: NormalTarget
  /** The application that rules pass the request on to, by its name; null: none does. */
  backend: string | null
  /** `missing`: nothing is there, and nothing else may answer. */
  missing: boolean
  /** Merged settings for what is served; null where no file has rules. */
  settings: Settings | null
  /** PHP settings (`php_value`) for what is served, as `directoryIni` gives them; null: none. */
  ini: Readonly<Record<string, string>> | null
  env: ReadonlyMap<string, string>
  cookies: readonly string[]
  /** Type that a rule gave the response (`T=`). */
  type: string | null
  user: string
  /** Whether the address was rewritten to another. */
  rewritten: boolean
  /** By which parts of a request all this may differ. */
  dependencies: ReadonlySet<Dependency>
  /** What the expressions on which `settings` depend came to, in their order. */
  verdicts: readonly boolean[]
  /** Files whose directories' rules were asked. */
  paths: readonly string[]
  /** The request as header rules see it that ask of the response; null: none does. */
  answering: RuleRequest | null
  /** Whether the page cache has nothing to do with it. */
  uncached: boolean
  /** Which of the page's variants the rules chose; empty: the plain one. It is part of no other comparison. */
  variant: string
  /** Cookies whose owners have pages of their own. */
  varyCookies: readonly string[]
  /** Names the version of all rules that had a say; empty where there are none. */
  edition: string
  /** Takes steps that the response's header rules cost from the site's share of the second; never throws. */
  pay(this: void, steps: number): void
}

/** Whether two requests come to the same: then the response to one is right for the other. */
export const samePlan = (one: Plan, other: Plan): boolean => {
  const { path, query } = one.target
  if (path !== other.target.path || (query ?? '') !== (other.target.query ?? '')) return false
  if (one.backend !== other.backend || one.missing !== other.missing) return false
  if (one.type !== other.type || one.user !== other.user) {
    return false
  }
  if (one.edition !== other.edition) return false
  const shown = ({ answer, env, cookies, ini, verdicts }: Plan): string =>
    JSON.stringify([answer, [...env].sort(), cookies, ini, verdicts])
  return shown(one) === shown(other)
}
