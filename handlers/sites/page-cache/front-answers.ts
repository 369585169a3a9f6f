import { LITESPEED_CONTROL, OWN_PURGE_FIELD, readOnly } from '../../../edge-cache/index.ts'
import { isPrivatePath } from '../../domain/profiles/judge-request.ts'
import type { Effect, Profile } from '../../domain/profiles/profile.ts'
import type { Judgement } from '../htaccess/files/site-rules.ts'
import type { Dependency } from '../rewrite/variables.ts'
import type { SiteCall } from '../site-call.ts'

/** What rules may look at without giving two visitors different pages at one address. */
const SAME_FOR_ALL: ReadonlySet<Dependency> = new Set([
  ...(['none', 'authorization', 'query', 'method', 'response'] as const),
])

/** Whether rules give everybody the same here, so that a front, which does not ask them, may keep the page. */
const isSameForAll = ({ plan, shared }: Judgement): boolean =>
  shared &&
  plan.variant === '' &&
  plan.varyCookies.length === 0 &&
  [...plan.dependencies].every((one) => SAME_FOR_ALL.has(one))

/** The answer is no page for a front's cache. */
export const keepFromFront = ({ headers }: Response): void =>
  headers.set(LITESPEED_CONTROL, 'no-cache')

/**
 * What an answer says to a front's page cache beside what the site says itself. The front knows
 * neither rules nor passwords nor files of the site: where one of these may answer the next visitor
 * otherwise, the page is not kept there. What a request changed is made new there before its answer leaves.
 */
export const tellFront = (
  response: Response,
  { target }: Pick<SiteCall, 'target'>,
  known: {
    judged: Judgement | null
    /** Passwords, addresses or limits stand before the site. */
    guarded: boolean
    profile: Profile | null
    effect: Effect
  },
): void => {
  const { judged, guarded, profile, effect } = known
  const isPrivate = profile !== null && isPrivatePath(profile, target.path)
  if (guarded || isPrivate || (judged !== null && !isSameForAll(judged))) keepFromFront(response)
  if (effect !== 'now') return
  const { headers } = response
  const own = headers.get(OWN_PURGE_FIELD)
  if (own === null) headers.set(OWN_PURGE_FIELD, '*')
  else if (!readOnly(own).only) headers.set(OWN_PURGE_FIELD, `${own}, *`)
}
