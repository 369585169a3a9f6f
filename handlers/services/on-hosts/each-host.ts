import type { HostPorts } from '../../ports/host/host.ts'
import type { Log } from '../../ports/log.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { PanelHosts } from './panel-hosts.ts'

/**
 * Does the same for every host that answers, all at once: one that fails keeps no other from it,
 * and is written down as `what`. Rejects as it did where the panel's own machine fails.
 */
export const eachHost = async (
  { host, log }: { host: Pick<PanelHosts, 'present' | 'of'>; log?: Log },
  what: string,
  work: (hostId: number, ports: HostPorts) => Promise<void>,
): Promise<void> => {
  await Promise.all(
    (await host.present()).map(async (id) => {
      try {
        await work(id, host.of(id))
      } catch (error) {
        if (id === LOCAL_HOST) throw error
        log?.warn(what, { host: id, error: String(error) })
      }
    }),
  )
}
