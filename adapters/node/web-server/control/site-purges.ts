import {
  createInvalidator,
  hostTag,
  purgeDomain,
  type PurgeScope,
  softly,
} from '#edge-cache/index.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { PurgeBudget } from './purge-budget.ts'

/** Purges that sites ask for themselves: in the fields of a response, by the method PURGE. */
export interface SitePurges {
  /** Settles when no worker can answer a page that was hit. `cause`: see `PurgeHistory`. */
  purge(domain: string, scopes: readonly PurgeScope[], cause: string): Promise<void>
}

const isWhole = (scope: PurgeScope, domain: string): boolean =>
  scope.kind === 'tag' && scope.tag === hostTag(domain)

/**
 * Each costs its owner some of the marks it may leave; beyond them the whole site is
 * purged. What comes while a purge is under way goes together in the next, so that a
 * script that purges with every response costs the others little.
 * `note` is told what is done of it, and why.
 */
export const createSitePurges = (deps: {
  config(): ServerConfig
  budget: PurgeBudget
  note(scopes: readonly PurgeScope[], cause: string): void
  purge(scopes: readonly PurgeScope[]): Promise<unknown>
}): SitePurges => {
  const send = createInvalidator(async (scopes) => {
    await deps.purge(scopes)
  })
  return {
    purge(domain, asked, cause) {
      const host = deps.config().virtualhost.find((one) => one.domain === domain)
      // Removed since the worker took the request.
      if (host === undefined || asked.length === 0) return Promise.resolve()
      const carryOut = (scopes: readonly PurgeScope[]): Promise<void> => {
        deps.note(scopes, cause)
        return send(scopes)
      }
      const counted = asked.filter((scope) => !isWhole(scope, domain)).length
      if (counted === 0 || deps.budget.take(host.username ?? domain, counted))
        return carryOut(asked)
      const whole = purgeDomain(domain)
      return carryOut(asked.every(({ soft }) => soft === true) ? softly(whole) : whole)
    },
  }
}
