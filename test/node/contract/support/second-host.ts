import { createHostClient } from '#adapters/shared/host-rpc/host-client.ts'
import { createHostHandler } from '#adapters/shared/host-rpc/host-handler.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { HostLinks } from '#handlers/ports/host-links.ts'
import type { Store } from '#handlers/ports/store/store.ts'
import { NOW } from '#test/contract/store/store-rows.ts'
import { noLinkKeys } from '#test/fakes/links/link-keys.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

/** A panel's client of ports, as a real one calls its host. */
export const reached = (ports: HostPorts): HostPorts =>
  createHostClient(createHostHandler(ports, createRecordingLog()))

const refused = (): Promise<never> => Promise.reject(new Error('nobody is met here'))

/** Links of a panel to one other machine. */
export const linksTo = (two: HostPorts, probe: HostLinks['probe'] = refused): HostLinks => ({
  ...{ invite: refused, meet: refused, probe, tell: refused },
  ...noLinkKeys,
  reach: () => Promise.resolve(two),
})

/** Records a machine `two` that has joined, and answers its id. */
export const addSecondHost = async (store: Store): Promise<number> => {
  const made = await store.insertHost({
    ...{ name: 'two', role: 'host', address: '192.0.2.2:7072', link_id: 'host-2' },
    ...{
      certificate: null,
      next_certificate: null,
      join_key: 'key',
      join_until_secs: 0,
      state: 'joining',
    },
    ...{ seen_secs: null, misses: 0, disk_free_percent: null, php_versions: '[]' },
    trust_version: 0,
    ...{ weight: 1, created_at: NOW },
  })
  if (made === 'duplicate') throw new Error('it is the first')
  await store.openHost(made.id, 'key', 'PEM')
  return made.id
}
