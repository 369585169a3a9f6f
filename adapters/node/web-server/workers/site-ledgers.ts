import { purgeDomain, type PurgeScope } from '#edge-cache/index.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { CpuMinutes } from '#handlers/domain/accounts/cpu-minutes.ts'
import type { Log } from '#handlers/ports/log.ts'
import { RecognisedApplications } from '../applications/recognised.ts'
import { SiteChanges } from '../applications/site-changes.ts'
import { CookieLedger } from '../cookies/cookie-ledger.ts'
import type { FiguresLedger } from '../figures/figures-ledger.ts'
import { ObservationLedger } from '../observations/observation-ledger.ts'
import { PurgeHistory } from '../purges/purge-history.ts'
import { createSiteNames } from '../purges/site-names.ts'
import { VaryingLedger } from '../sampling/varying-ledger.ts'
import { TrafficLedger } from '../traffic/traffic-ledger.ts'
import { StallLedger } from '../watchdog/stall-ledger.ts'
import type { HostChanges } from './messages.ts'
import type { WorkerPool } from './worker-pool.ts'

/** What the primary keeps of sites, as workers tell it. */
export interface SiteLedgers {
  cookies: CookieLedger
  varying: VaryingLedger
  stalls: StallLedger
  observations: ObservationLedger
  history: PurgeHistory
  cpu: CpuMinutes
  traffic: TrafficLedger
  figures: FiguresLedger
  recognised: RecognisedApplications
  changes: SiteChanges
  /** Takes what changed between two configurations. */
  apply(changes: HostChanges): void
}

/** Makes them; what all workers have to know is told to the pool. */
export const createSiteLedgers = (
  /** The configuration in force. */
  state: { config: ServerConfig },
  deps: {
    /** Asked for once the workers are to hear something. */
    pool(): Pick<WorkerPool, 'acknowledge'>
    /** Resolves when no worker can answer what the scopes name any more. */
    invalidate(scopes: readonly PurgeScope[], cause: string): Promise<unknown>
    figures: FiguresLedger
    log: Log
  },
): SiteLedgers => {
  const { pool, invalidate, figures, log } = deps
  const nowMs = (): number => Date.now()
  const cookies = new CookieLedger({
    config: state.config,
    tell: (site, known) => pool().acknowledge({ type: 'learned-cookies', site, known }),
    log,
  })
  const varying = new VaryingLedger({
    config: () => state.config,
    tell: (site, varies) => pool().acknowledge({ type: 'varying-site', site, varies }),
    purge: (site) => invalidate(purgeDomain(site), 'varies'),
    ...{ log, nowMs },
  })
  const stalls = new StallLedger({
    tell: (held) => pool().acknowledge({ type: 'held-sites', sites: held }),
    ...{ log, nowMs },
  })
  return {
    ...{ cookies, varying, stalls },
    observations: new ObservationLedger(nowMs),
    history: new PurgeHistory({ nowMs, siteOf: createSiteNames(() => state.config) }),
    cpu: new CpuMinutes(nowMs),
    traffic: new TrafficLedger(),
    figures,
    recognised: new RecognisedApplications(),
    changes: new SiteChanges((site) => invalidate(purgeDomain(site), 'profile')),
    apply: (changes) => {
      cookies.apply(changes)
      varying.apply(changes)
      figures.forget(changes.removed)
      stalls.sitesChanged([...changes.put.map(({ domain }) => domain), ...changes.removed])
    },
  }
}
