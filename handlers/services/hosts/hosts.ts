import { randomId } from '../../domain/access/random-id.ts'
import { formatLinkAddress, parseLinkAddress } from '../../domain/hosts/link-address.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, invalid, notFound, unavailable } from '../../errors.ts'
import type { HostLinks } from '../../ports/host-links.ts'
import type { HostRow } from '../../ports/store/host-store.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** How long a machine may join by a token. */
const JOIN_SECS = 15 * 60
const LINK_ID_DIGITS = 12

/** A host as the API shows it. */
export type HostView = Omit<HostRow, 'certificate' | 'join_key' | 'join_until_secs'> & {
  /** Until when it may join; null: it has. */
  join_until: string | null
}

/** Other machines that this panel manages. */
export interface Hosts {
  /** By name. */
  list(): Promise<HostView[]>
  /** Invites a machine. 409 duplicate, 503 where this panel has no links. The token is told this once. */
  add(input: {
    name: string
    address: string
    role: HostRow['role']
  }): Promise<HostView & { token: string }>
  /** Dials a machine that has joined, and keeps its certificate. 404, 409 too late or done already, 503. */
  open(name: string): Promise<HostView>
  /** Forgets a machine. 404. */
  remove(name: string): Promise<void>
}

const NO_LINKS =
  'This panel reaches no other machines. It must run on Node, with a directory for its keys.'
const isoOf = (secs: number): string => timestamp(secs * 1000)

const viewOf = (row: HostRow): HostView => {
  const { certificate: _certificate, join_key: _key, join_until_secs: until, ...rest } = row
  return { ...rest, join_until: until === null ? null : isoOf(until) }
}

/** Over records and the panel's links. */
export const createHosts = ({
  store,
  clock,
  hostLinks,
}: Pick<ServiceDeps, 'store' | 'clock' | 'hostLinks'>): Hosts => {
  const links = (): HostLinks => {
    if (hostLinks === undefined) throw unavailable(NO_LINKS)
    return hostLinks
  }
  const named = async (name: string): Promise<HostRow> => {
    const host = await store.hostByName(name)
    if (host === null) throw notFound('No such host.')
    return host
  }
  return {
    list: async () => (await store.listHosts()).map(viewOf),
    async add({ name, address, role }) {
      const parsed = parseLinkAddress(address)
      if (parsed === null) throw invalid('address', 'address is not one.')
      const link_id = `host-${randomId().slice(0, LINK_ID_DIGITS)}`
      const { token, joinKey } = await links().invite({ link_id, role })
      const made = await store.insertHost({
        ...{ name, role, link_id, address: formatLinkAddress(parsed), certificate: null },
        join_key: joinKey,
        join_until_secs: Math.floor(clock.nowMs() / 1000) + JOIN_SECS,
        ...{ state: 'joining', weight: 1, created_at: timestamp(clock.nowMs()) },
      })
      if (made === 'duplicate') throw conflict(`There is a host ${name} already.`, 'name')
      return { ...viewOf(made), token }
    },
    async open(name) {
      const { id, link_id, address, join_key: joinKey, join_until_secs } = await named(name)
      if (joinKey === null || join_until_secs === null)
        throw conflict(`The host ${name} has joined already.`)
      const isLate = (): boolean => clock.nowMs() / 1000 >= join_until_secs
      const late = `The token of the host ${name} counts no more. Remove the host and add it again.`
      if (isLate()) throw conflict(late)
      const { certificate } = await links().meet({ link_id, address, joinKey })
      if (isLate()) throw conflict(late)
      const opened = await store.openHost(id, joinKey, certificate)
      if (opened === null) throw conflict(`The host ${name} was changed meanwhile.`)
      return viewOf(opened)
    },
    async remove(name) {
      const { id } = await named(name)
      if (!(await store.deleteHost(id))) throw notFound('No such host.')
    },
  }
}
