import type { CacheRule } from '../../../edge-cache/config.ts'
import { effectOf, isPrivatePath, wantsForm } from '../../domain/profiles/judge-request.ts'
import type { Effect, Profile } from '../../domain/profiles/profile.ts'
import { watchForm } from '../paths/form-ends.ts'
import type { NormalTarget } from '../paths/request-path.ts'

/** Rules that keep nothing, by the rule that they are made of: it lives as long as the configuration. */
const closed = new WeakMap<CacheRule, CacheRule>()

/** The same rule, by which nothing is looked up or stored, as if every path were excluded. */
export const keepingNothing = (rule: CacheRule): CacheRule => {
  let shut = closed.get(rule)
  if (shut === undefined) closed.set(rule, (shut = { ...rule, exclude: ['/*'] }))
  return shut
}

/** The rule for a path of an application: at private ones nothing is kept. */
export const withoutPrivatePaths = (profile: Profile, rule: CacheRule, path: string): CacheRule =>
  isPrivatePath(profile, path) ? keepingNothing(rule) : rule

/**
 * Judges what a request does to the site's public pages: `request` is to be used in
 * its place, `effect` asked once it is answered.
 */
export const watchChanges = (
  profile: Profile,
  request: Request,
  { path, query }: NormalTarget,
): { request: Request; effect(response: Response): Effect } => {
  const { method } = request
  const form = wantsForm(profile, method, path) ? watchForm(request) : null
  return {
    request: form?.request ?? request,
    effect: ({ status, headers }) =>
      effectOf(profile, {
        method,
        path,
        query,
        status,
        location: headers.get('location'),
        cacheControl: headers.get('cache-control'),
        form: form?.text() ?? null,
      }),
  }
}
