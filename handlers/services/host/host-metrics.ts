import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import { hostNamed } from '../on-hosts/host-named.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { createHistory } from './history.ts'
import type { History, HistoryRange, HostHistory } from './history.ts'
import { createMetrics } from './metrics.ts'
import type { Metrics } from './metrics.ts'

/** What is measured of each machine. */
export interface HostMetrics {
  /** Measures all that answer; to be called every ten seconds. Never fails. */
  sample(): Promise<void>
  /** Writes the minutes that have begun, before the process ends. */
  flush(): Promise<void>
  /** What was measured of the machine of that name, default the panel's own; of one that is away what was before. 400. */
  read(range: HistoryRange, sinceSecs?: number, host?: string): Promise<HostHistory>
}

/** Each machine has samples of its own; those of one that is away have a gap. */
export const createHostMetrics = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log'>,
): HostMetrics => {
  const measured = new Map<number, { metrics: Metrics; history: History }>()
  const of = (hostId: number): { metrics: Metrics; history: History } => {
    const known = measured.get(hostId)
    if (known !== undefined) return known
    const metrics = createMetrics(deps, hostId)
    const made = { metrics, history: createHistory({ ...deps, metrics }, hostId) }
    measured.set(hostId, made)
    return made
  }
  return {
    async sample() {
      const present = await deps.host.present().catch(() => [LOCAL_HOST])
      await Promise.all(present.map((id) => of(id).metrics.sample()))
    },
    async flush() {
      await Promise.all([...measured.values()].map(({ metrics }) => metrics.flush()))
    },
    read: async (range, sinceSecs, host) =>
      of(await hostNamed(deps, host)).history.read(range, sinceSecs),
  }
}
