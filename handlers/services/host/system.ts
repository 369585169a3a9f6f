import type { HostPorts } from '../../ports/host/host.ts'
import { hostNamed } from '../on-hosts/host-named.ts'
import type { SystemInfo } from '../../ports/host/system.ts'
import type { WebServerStatus } from '../../ports/host/web-server.ts'
import type { RecoveryFacts } from '../../ports/recovery.ts'
import type { Regenerate } from '../virtual-hosts/virtual-hosts.ts'
import { createWaiting } from '../backups/backups.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** Numbers of the dashboard. A limit of -1 is unlimited. */
export interface SystemStats {
  accounts: { count: number; limit: number }
  domains: { count: number; limit: number }
  /** Of all accounts; plans limit those of each. */
  databases: { count: number }
  cpu: { count: number; usage_percent: number }
  memory: { total_mb: number; used_mb: number }
  /** `used_week_ago_mb`: null while nobody measured it a week ago. */
  disk: { total_mb: number; used_mb: number; used_week_ago_mb: number | null }
  license: { tier: string; valid: boolean; problem: string | null }
  uptime_secs: number
  load_average: [number, number, number]
}

const WEEK_SECS = 7 * 86_400
/** A machine that was off for a while a week ago says what it last knew, or knew first. */
const AROUND_SECS = 12 * 3600

/** What stands between the panel and coming back, or between having come back and working as before. */
export interface RecoveryState extends RecoveryFacts {
  /** How many accounts are still empty after an import. */
  accountsWaiting: number
}

/**
 * Machines and their web servers, as administrators see them; `host` names one, default the panel's own.
 * 400 for a name that is none, 503 where it is away.
 */
export interface System {
  /** See `SystemPort.info`. */
  info(host?: string): Promise<SystemInfo>
  /** Counts are the records', the rest the host's. */
  stats(host?: string): Promise<SystemStats>
  /** Also when it does not run. */
  webServerStatus(host?: string): Promise<WebServerStatus>
  /** That of the host's agent while it does not run. */
  webServerVersion(host?: string): Promise<{ version: string }>
  /** Whether the panel could be brought back; null: it is not asked here. */
  recovery(): Promise<RecoveryState | null>
  regenerate: Regenerate
  /** Answers dotted keys of the configuration that changed but need a restart of Berth. */
  reload(host?: string): Promise<{ restart_needed: string[] }>
  /** New workers for all sites. 503 when it does not run. */
  restart(host?: string): Promise<void>
}

export const createSystem = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'license' | 'recovery'> & {
    regenerate: Regenerate
  },
): System => {
  const { store, host, license, regenerate } = deps
  /** What was used within the hours around this time a week ago. */
  const diskWeekAgo = async (hostId: number): Promise<number | null> => {
    const about = Math.floor(deps.clock.nowMs() / 1000) - WEEK_SECS
    const rows = await store.metrics(600, about - AROUND_SECS, about + AROUND_SECS, hostId)
    const known = rows.flatMap(({ at_secs, disk_used_mb: mb }) =>
      mb === null ? [] : [{ off: Math.abs(at_secs - about), mb }],
    )
    const nearest = known.toSorted((a, b) => a.off - b.off)[0]
    return nearest === undefined ? null : Math.round(nearest.mb)
  }
  const named = async (name: string | undefined): Promise<HostPorts> =>
    host.of(await hostNamed(deps, name))
  return {
    info: async (name) => (await named(name)).system.info(),
    async stats(name) {
      const hostId = await hostNamed(deps, name)
      const [info, current, accounts, domains, databases, weekAgo] = await Promise.all([
        host.of(hostId).system.info(),
        license.current(),
        store.countAccounts(),
        store.countDomains(),
        store.listAllDatabases({ page: 1, perPage: 1 }),
        diskWeekAgo(hostId),
      ])
      return {
        accounts: { count: accounts, limit: current.accounts_limit },
        domains: { count: domains, limit: current.domains_limit },
        databases: { count: databases.total },
        cpu: { count: info.cpu_count, usage_percent: info.cpu_usage_percent },
        memory: { total_mb: info.memory_total_mb, used_mb: info.memory_used_mb },
        disk: {
          total_mb: info.disk_total_mb,
          used_mb: info.disk_used_mb,
          used_week_ago_mb: weekAgo,
        },
        license: { tier: current.tier, valid: current.valid, problem: current.problem },
        uptime_secs: info.uptime_secs,
        load_average: info.load_average,
      }
    },
    async recovery() {
      if (deps.recovery === undefined) return null
      const waiting = await createWaiting(deps).ids()
      return { ...deps.recovery(), accountsWaiting: waiting.size }
    },
    webServerStatus: async (name) => (await named(name)).webServer.status(),
    webServerVersion: async (name) => ({
      version: (await (await named(name)).webServer.status()).version,
    }),
    regenerate,
    reload: async (name) => (await named(name)).webServer.reload(),
    restart: async (name) => (await named(name)).webServer.restart(),
  }
}
