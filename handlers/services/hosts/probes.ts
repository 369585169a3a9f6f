import type { MessageData } from '../../domain/notifications/notification-kinds.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { HostFacts, HostRow } from '../../ports/store/host-store.ts'
import type { TrustList } from '../../ports/store/hosts/trust-store.ts'
import type { Fronts } from '../fronts/fronts.ts'
import type { Trust } from './trust.ts'
import type { Notify } from '../notify/notify.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { isAway, MISSES } from '../on-hosts/panel-hosts.ts'

type Deps = Pick<ServiceDeps, 'store' | 'clock' | 'log' | 'host' | 'hostLinks'> & {
  journal: Pick<Journal, 'settleSubjects'>
  background: ServiceDeps['background']
  trust: Pick<Trust, 'tellHost'>
  notify: Pick<Notify, 'tellAdministrators'>
  /** Has people told of what the records say. */
  happened: () => void
  fronts: Pick<Fronts, 'changed'>
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
export const hostFacts = async (
  { system, php }: Pick<ServiceDeps['host']['local'], 'system' | 'php'>,
  role: HostRow['role'] = 'host',
): Promise<HostFacts> => {
  // A front has no PHP, and refuses to be asked for it.
  const installed = role === 'front' ? Promise.resolve([]) : php.versions()
  const [info, versions] = await Promise.all([system.info(), installed])
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
  const { store, clock, log, host, hostLinks, journal, background, trust, notify, fronts } = deps

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
  /** Whether the host has heard of this panel; else its silence says nothing. */
  const isKnownAt = async (row: HostRow, { panels }: TrustList): Promise<boolean> => {
    if (row.id === LOCAL_HOST || row.trust_version === 0) return true
    // By any of its keys: a former one may be the only one that the host has heard of.
    const keys = (await hostLinks?.keys()) ?? []
    return keys.some(({ id }) => {
      const since = panels.find((panel) => panel.id === id)?.since_version
      return since === undefined || since <= row.trust_version
    })
  }
  const look = async (row: HostRow, list: TrustList): Promise<void> => {
    try {
      const facts = await askedOf(row)
      // Before anything else is asked of one that is back: a panel that was removed meanwhile goes first.
      if (row.id !== LOCAL_HOST) await trust.tellHost(row, list).catch(() => false)
      await store.hostAnswered(row.id, Math.floor(clock.nowMs() / 1000), facts)
      if (!isAway(row)) return
      log.info('a host is back', { host: row.name })
      if (row.role === 'front') fronts.changed()
      else settleAt(row.id)
      const since: MessageData =
        row.seen_secs === null ? {} : { since: timestamp(row.seen_secs * 1000) }
      await notify.tellAdministrators('machine.back', { name: row.name, ...since })
      deps.happened()
    } catch (error) {
      if (!(await isKnownAt(row, list))) return
      await store.hostMissed(row.id, row.seen_secs)
      if (row.misses + 1 !== MISSES) return
      log.warn('a host is away', { host: row.name, error: String(error) })
      deps.happened()
    }
  }
  return {
    async probe() {
      const all = await store.listHosts()
      // Alone there is nobody to choose from.
      if (all.length === 1) return
      const list = await store.trustList()
      const joined = all.filter(({ state }) => state !== 'joining')
      await Promise.all(joined.map((row) => look(row, list)))
    },
  }
}
