import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { HostFacts, HostRow } from '../../ports/store/host-store.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { isAway, MISSES } from '../on-hosts/panel-hosts.ts'

type Deps = Pick<ServiceDeps, 'store' | 'clock' | 'log' | 'host' | 'hostLinks'> & {
  journal: Pick<Journal, 'settleSubjects'>
  background: ServiceDeps['background']
}

/** Looks again and again whether hosts answer. */
export interface Probes {
  /** Asks each host once; to be called every ten seconds. Never rejects for one that does not answer. */
  probe(): Promise<void>
}

/** Percent of a disk that is free. */
const freePercent = (info: { disk_total_mb: number; disk_used_mb: number }): number | null =>
  info.disk_total_mb <= 0
    ? null
    : Math.max(0, Math.floor((100 * (info.disk_total_mb - info.disk_used_mb)) / info.disk_total_mb))

/** What placement must know of a host. */
export const hostFacts = async ({
  system,
  php,
}: Pick<ServiceDeps['host']['local'], 'system' | 'php'>): Promise<HostFacts> => {
  const [info, versions] = await Promise.all([system.info(), php.versions()])
  return {
    disk_free_percent: freePercent(info),
    php_versions: JSON.stringify(versions.map(({ version }) => version)),
  }
}

/**
 * Over links. A host is away after three probes without an answer, and no call answered since.
 * When it is back, what was left open of its accounts is settled at once.
 */
export const createProbes = (deps: Deps): Probes => {
  const { store, clock, log, host, hostLinks, journal, background } = deps

  const askedOf = (row: HostRow): Promise<HostFacts> => {
    if (row.id === LOCAL_HOST) return hostFacts(host.local)
    if (hostLinks === undefined || row.certificate === null)
      throw new Error(`the host ${row.name} cannot be asked`)
    return hostLinks.probe({ ...row, certificate: row.certificate })
  }
  const settleAt = (hostId: number): void =>
    background.run(`settle what is open on host ${hostId}`, async () => {
      const subjects = new Set<string>()
      for (const { subject } of await store.openOperations()) {
        // `kind:account`, or the account alone.
        const at = await store.hostOfAccount(subject.split(':')[1] ?? subject)
        if (at === hostId) subjects.add(subject)
      }
      await journal.settleSubjects(subjects)
    })
  const look = async (row: HostRow): Promise<void> => {
    try {
      const facts = await askedOf(row)
      await store.hostAnswered(row.id, Math.floor(clock.nowMs() / 1000), facts)
      if (!isAway(row)) return
      log.info('a host is back', { host: row.name })
      settleAt(row.id)
    } catch (error) {
      await store.hostMissed(row.id, row.seen_secs)
      if (row.misses + 1 === MISSES)
        log.warn('a host is away', { host: row.name, error: String(error) })
    }
  }
  return {
    async probe() {
      const all = await store.listHosts()
      // Alone there is nobody to choose from.
      if (all.length === 1) return
      await Promise.all(all.filter(({ state }) => state !== 'joining').map(look))
    },
  }
}
