import { createInvalidator } from '#edge-cache/http-mode/invalidation.ts'
import { hostTag, purgeDomain, softly } from '#edge-cache/index.ts'
import type { PurgeScope } from '#edge-cache/types.ts'
import type { ServerConfig } from '#handlers/domain/config-types.ts'
import type { PurgeBudget } from './purge-budget.ts'

/** Purges that sites ask for themselves: in the fields of an answer, by the method PURGE. */
export interface SitePurges {
  /** Settles when no worker can answer a page that was hit. */
  purge(domain: string, scopes: readonly PurgeScope[]): Promise<void>
}

const isWhole = (scope: PurgeScope, domain: string): boolean =>
  scope.kind === 'tag' && scope.tag === hostTag(domain)

/**
 * Each costs its owner some of the marks it may leave; beyond them the whole site is
 * purged. What comes while a purge is under way goes together in the next, so that a
 * script that purges with every answer costs the others little.
 */
export const createSitePurges = (deps: {
  config(): ServerConfig
  budget: PurgeBudget
  purge(scopes: readonly PurgeScope[]): Promise<unknown>
}): SitePurges => {
  const send = createInvalidator(async (scopes) => {
    await deps.purge(scopes)
  })
  return {
    purge(domain, asked) {
      const host = deps.config().virtualhost.find((one) => one.domain === domain)
      // Removed since the worker took the request.
      if (host === undefined || asked.length === 0) return Promise.resolve()
      const counted = asked.filter((scope) => !isWhole(scope, domain)).length
      if (counted === 0 || deps.budget.take(host.username ?? domain, counted)) return send(asked)
      const whole = purgeDomain(domain)
      return send(asked.every(({ soft }) => soft === true) ? softly(whole) : whole)
    },
  }
}
