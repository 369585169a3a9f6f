import { type CookieMemory, createCookieMemory } from '#edge-cache/index.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import { createSiteRules, type SiteRules } from '#handlers/sites/htaccess/files/site-rules.ts'
import {
  createSiteApplications,
  type SiteApplications,
} from '#handlers/sites/page-cache/site-applications.ts'
import type { SiteCookies } from '#handlers/sites/page-cache/site-cookies.ts'
import { isGuarded } from '#handlers/sites/guard/site-guard.ts'
import type { RuleFiles } from '#handlers/sites/rule-files.ts'
import type { SiteFiles } from '#handlers/sites/site-files.ts'
import type { PurgeSite } from '#handlers/sites/page-cache/site-purges.ts'
import { createVaryingSites, type VaryingSites } from '#handlers/sites/page-cache/varying-sites.ts'
import { createCookieLearner } from '../cookies/learn-cookies.ts'
import { createRuleFiles } from '../files/rule-files.ts'
import { createSiteFiles } from '../files/site-files.ts'
import type { LearnedAt } from '../http1/fast/fast-facts.ts'
import { HeldRequests } from '../watchdog/held-requests.ts'
import type { ToPrimary, ToWorker, WorkerStart } from './messages.ts'
import type { ProcessChannel } from './process-channel.ts'

/** What a worker knows of sites beside their configuration; the primary hears what it learns. */
export interface SiteKnowledge {
  files: SiteFiles
  ruleFiles: RuleFiles
  rules: SiteRules
  held: HeldRequests
  cookieMemory: CookieMemory
  cookies: SiteCookies
  /** What is learned of the cookies of a virtual host. */
  learnedAt: LearnedAt
  varying: VaryingSites
  applications: SiteApplications
  /** The edition of rules that a ready answer must be of; null: the slow path must decide. */
  fastEditionOf: SiteRules['fastEdition']
  /** Whether neither a file with rules nor anything held has a say in any request. */
  isUnruled(vhost: VirtualHostConfig): boolean
  /** Purges what a site names itself; `cause`: see `PurgeHistory`. */
  purgeSiteBy(cause: string): PurgeSite
}

/** Begins with what the primary knew when it started the worker. */
export const createSiteKnowledge = (
  start: Pick<WorkerStart, 'heldSites' | 'learnedCookies' | 'varyingSites'>,
  primary: ProcessChannel<ToPrimary, ToWorker>,
  log: Log,
): SiteKnowledge => {
  const files = createSiteFiles()
  const ruleFiles = createRuleFiles()
  const held: HeldRequests = new HeldRequests({
    files: ruleFiles,
    nowMs: () => performance.now(),
    changed: (site: string) => primary.tell({ type: 'held-rules-changed', site }),
  })
  held.put(start.heldSites)
  const rules = createSiteRules({
    files,
    ruleFiles,
    changed: async ({ domain }) => {
      await primary.ask({ type: 'rules-changed', site: domain })
    },
    log,
    nowMs: () => Date.now(),
  })
  const cookieMemory = createCookieMemory(start.learnedCookies)
  const purged = async (change: ToPrimary & { site: string }): Promise<void> => {
    try {
      await primary.ask(change)
    } catch (error) {
      log.warn('a change could not be purged', { domain: change.site, error: String(error) })
    }
  }
  return {
    ...{ files, ruleFiles, rules, held, cookieMemory },
    cookies: createCookieLearner({
      memory: cookieMemory,
      ask: (site, names) => primary.ask({ type: 'learn-cookies', site, names }),
      nowMs: () => Date.now(),
    }),
    learnedAt: ({ domain, cache }) => cookieMemory.at(domain, cache),
    varying: createVaryingSites(start.varyingSites),
    applications: createSiteApplications({
      files,
      nowMs: () => performance.now(),
      changed: ({ domain }, effect) => purged({ type: 'site-changed', site: domain, effect }),
      recognised: ({ domain }, application) =>
        purged({ type: 'site-recognised', site: domain, application }),
    }),
    // What is held, and what looks at each request, goes the slow path, where that is known.
    fastEditionOf: (vhost, path, withQuery) =>
      held.concerns(vhost) || isGuarded(vhost) ? null : rules.fastEdition(vhost, path, withQuery),
    isUnruled: (vhost) => !held.concerns(vhost) && !isGuarded(vhost) && rules.hasNone(vhost),
    purgeSiteBy: (cause) => async (domain, scopes) => {
      await primary.ask({ type: 'purge-site', domain, scopes, cause })
    },
  }
}
