import { isAppError } from '../../errors.ts'
import type { ChannelPeer, ChannelState } from '../../ports/host/web/web-channel.ts'
import type { FrontSite } from '../../ports/host/web/front-sites.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { HostRow } from '../../ports/store/host-store.ts'
import type { ChannelMachineRow } from '../../ports/store/hosts/channel-store.ts'
import { frontAddress } from '../../domain/fronts/front-address.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { createPatience } from './patience.ts'

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'log' | 'hostLinks'> & {
  /** Waits for a machine for as long as all may be kept waiting by it. */
  patience: ReturnType<typeof createPatience>
}

/** What a machine is called at the web channel: the panel's own has no link. */
export const channelIdOf = ({ id, link_id }: Pick<HostRow, 'id' | 'link_id'>): string =>
  id === LOCAL_HOST ? 'host-local' : link_id

/** Whether a machine is one of those that this panel manages. */
export const hasJoined = ({ state }: Pick<HostRow, 'state'>): boolean =>
  state === 'open' || state === 'closed'

/** Where fronts ask each host, by its id; hosts that let none in are not among them. */
export const originsOf = (
  hosts: readonly HostRow[],
  machines: readonly ChannelMachineRow[],
): Map<number, FrontSite['origin']> => {
  const rows = new Map(hosts.map((row) => [row.id, row]))
  const origins = new Map<number, FrontSite['origin']>()
  for (const { host_id: id, address } of machines) {
    const row = rows.get(id)
    if (row?.role === 'host' && address !== null)
      origins.set(id, { address, channel: channelIdOf(row) })
  }
  return origins
}

const byId = (one: ChannelPeer, other: ChannelPeer): number => (one.id < other.id ? -1 : 1)

/**
 * Has each machine that answers let in, or ask, those of the other role that this panel manages, and no
 * others; a machine that is away is known by what it said before. Never rejects. Without a front nothing
 * is asked, and what there was is taken back.
 */
export const arrangeChannel = async ({
  store,
  host,
  log,
  hostLinks,
  patience,
}: Deps): Promise<void> => {
  const rows = (await store.listHosts()).filter(hasJoined)
  const known = new Map((await store.listChannelMachines()).map((row) => [row.host_id, row]))
  const hasFronts = rows.some(({ role }) => role === 'front')
  if (!hasFronts && known.size === 0) return

  const tell = async (row: HostRow, work: () => Promise<void>): Promise<void> => {
    try {
      await patience(row.id, work)
    } catch (error) {
      // One that does not answer is told when it is back.
      if (!isAppError(error) || error.status !== 503)
        log.warn('a machine has not the others at the web channel', {
          host: row.name,
          error: String(error),
        })
    }
  }
  const states = new Map<number, ChannelState>()
  const learn = (row: HostRow) =>
    tell(row, async () => {
      const { webChannel } = host.of(row.id)
      const { role } = row
      const id = channelIdOf(row)
      const said = await webChannel.state({ role })
      const state =
        said.id === id ? said : await webChannel.arrange({ id, role, peers: said.peers })
      if (state.certificate === null) return
      // Given to the others it would be refused there, and with it all that they are told.
      if (hostLinks?.channelId(state.certificate, role) !== id)
        throw new Error('what it says that it shows is no certificate of it')
      states.set(row.id, state)
      const address = role === 'host' ? frontAddress(state.listen, row.address) : null
      const now = { host_id: row.id, certificate: state.certificate, address }
      const before = known.get(row.id)
      known.set(row.id, now)
      if (before?.certificate !== now.certificate || before.address !== address)
        await store.putChannelMachine(now)
    })
  await Promise.all(rows.map(learn))

  const peersOf = ({ role }: HostRow): ChannelPeer[] =>
    rows
      .filter((other) => other.role !== role)
      .flatMap((other) => {
        const machine = known.get(other.id)
        return machine === undefined
          ? []
          : [{ id: channelIdOf(other), certificate: machine.certificate }]
      })
      .sort(byId)
  const arrange = (row: HostRow) =>
    tell(row, async () => {
      const state = states.get(row.id)
      if (state === undefined) return
      const peers = peersOf(row)
      const isTold = JSON.stringify([...state.peers].sort(byId)) === JSON.stringify(peers)
      if (!isTold)
        await host.of(row.id).webChannel.arrange({ id: channelIdOf(row), role: row.role, peers })
      if (!hasFronts) await store.deleteChannelMachine(row.id)
    })
  // Hosts first: a front that knows a host asks it at once.
  for (const role of ['host', 'front'] as const)
    await Promise.all(rows.filter((row) => row.role === role).map(arrange))
}
