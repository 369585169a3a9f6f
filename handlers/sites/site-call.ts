import type { VirtualHostConfig } from '../domain/config/config-types.ts'
import type { Plan } from './htaccess/plan.ts'
import type { PageTail } from './responses/incomplete-page.ts'
import type { NormalTarget } from './paths/request-path.ts'
import type { SiteContext } from './site-context.ts'

/** One request at a virtual host, judged. */
export interface SiteCall {
  vhost: VirtualHostConfig
  /** Requested name, one of the virtual host's. */
  host: string
  /** The name is nobody's, and this virtual host answers at such ones; nothing of it is stored. */
  isCaught?: boolean
  target: NormalTarget
  context: SiteContext
  /** What the site's own rules make of it; without any it is what it says. */
  plan?: Plan
  /** Variables and address of the script that makes the page of an error. */
  env?: ReadonlyMap<string, string>
  script?: NormalTarget
  /** Status that `script` is the page of. */
  errorStatus?: number
  /** Set where the response is not the site's own but ours: an error, a redirect. */
  ours?: boolean
  /** Set where the application itself told the page cache all that the request changed. */
  told?: boolean
  /** Set when a script answers piece by piece: the body may end with `IncompletePage`. */
  tail?: PageTail
}
