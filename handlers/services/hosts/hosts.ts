import { randomId } from '../../domain/access/random-id.ts'
import { formatLinkAddress, parseLinkAddress } from '../../domain/hosts/link-address.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, invalid, notFound, unavailable } from '../../errors.ts'
import type { HostLinks } from '../../ports/host-links.ts'
import { LOCAL_HOST } from '../../ports/store/host-store.ts'
import type { HostRow, HostWithAccounts } from '../../ports/store/host-store.ts'
import type { ListQuery } from '../../ports/store/list-query.ts'
import type { Fronts } from '../fronts/fronts.ts'
import { isAway, MISSES } from '../on-hosts/panel-hosts.ts'
import type { Trust } from './trust.ts'
import type { ServiceDeps } from '../service-deps.ts'

/** How long a machine may join by a token. */
const JOIN_SECS = 15 * 60
const LINK_ID_DIGITS = 12

/** A host as the API shows it. */
export type HostView = Pick<
  HostRow,
  'id' | 'name' | 'role' | 'address' | 'link_id' | 'state' | 'weight' | 'created_at'
> & {
  /** The machine of the panel itself, which has no link. */
  local: boolean
  /** Accounts on it. */
  accounts: number
  /** When it last answered; null: never, or it is the panel's own and there are no others. */
  seen_at: string | null
  disk_free_percent: number | null
  php_versions: string[]
  /** Until when its certificate counts; null: it has none. */
  certificate_until: string | null
  /** Until when it may join; null: it has. */
  join_until: string | null
}

/** A machine that does not answer. */
export interface AwayHost {
  id: number
  name: string
  /** When it last answered; null: never. */
  since: string | null
}

/** Other machines that this panel manages. */
export interface Hosts {
  /** The panel's own machine first, then by name. */
  list(): Promise<HostView[]>
  /** Machines that do not answer, of those that somebody has accounts on. */
  away(reach: Pick<ListQuery, 'accountId' | 'resellerId'>): Promise<AwayHost[]>
  /** Invites a machine. 409 duplicate, 503 where this panel has no links. The token is told this once. */
  add(input: {
    name: string
    address: string
    role: HostRow['role']
  }): Promise<HostView & { token: string }>
  /**
   * Dials a machine that has joined, and keeps its certificate; opens one that was closed to new
   * accounts. 404, 409 too late or open already, 503.
   */
  open(name: string): Promise<HostView>
  /** Places no new accounts on it; those that are there go on. 404, 409 where it has not joined. */
  close(name: string): Promise<HostView>
  /**
   * Changes its part of new accounts beside others, or where visitors reach the panel's own machine
   * (empty: not known). 404, 409 where it has not joined, or the address is a link's.
   */
  change(name: string, change: { weight?: number; address?: string }): Promise<HostView>
  /** Forgets a machine. 404, 409 while accounts are on it. */
  remove(name: string): Promise<void>
}

const NO_LINKS =
  'This panel reaches no other machines. It must run on Node, with a directory for its keys.'
const isoOf = (secs: number): string => timestamp(secs * 1000)

const createView =
  (links: HostLinks | undefined) =>
  (row: HostRow, accounts: number): HostView => {
    const untilMs = row.certificate === null ? null : (links?.validUntilMs(row.certificate) ?? null)
    const { id, name, role, address, link_id, weight, created_at } = row
    return {
      ...{ id, name, role, address, link_id, weight, created_at },
      local: id === LOCAL_HOST,
      // Whether it is open or closed besides is seen when it is back.
      state: isAway(row) ? 'away' : row.state,
      accounts,
      seen_at: row.seen_secs === null ? null : isoOf(row.seen_secs),
      disk_free_percent: row.disk_free_percent,
      php_versions: JSON.parse(row.php_versions) as string[],
      certificate_until: untilMs === null ? null : timestamp(untilMs),
      join_until: row.join_until_secs === null ? null : isoOf(row.join_until_secs),
    }
  }

/** Over records and the panel's links. */
export const createHosts = ({
  store,
  clock,
  hostLinks,
  trust,
  fronts,
}: Pick<ServiceDeps, 'store' | 'clock' | 'hostLinks'> & {
  trust: Pick<Trust, 'trustOwn' | 'tellTrust'>
  fronts: Pick<Fronts, 'changed' | 'empty'>
}): Hosts => {
  const viewOf = createView(hostLinks)
  const links = (): HostLinks => {
    if (hostLinks === undefined) throw unavailable(NO_LINKS)
    return hostLinks
  }
  const named = async (name: string): Promise<HostWithAccounts> => {
    const host = (await store.listHosts()).find((one) => one.name === name)
    if (host === undefined) throw notFound('No such host.')
    return host
  }
  const changed = async (
    { id, name, accounts }: HostWithAccounts,
    change: Parameters<typeof store.changeHost>[1],
  ): Promise<HostView> => {
    const row = await store.changeHost(id, change)
    if (row === null) throw conflict(`The host ${name} has not joined yet.`)
    return viewOf(row, accounts)
  }
  return {
    list: async () => (await store.listHosts()).map((row) => viewOf(row, row.accounts)),
    async away({ accountId, resellerId }) {
      const missed = await store.hostsThatMissed(MISSES)
      const isSeen = async ({ id, name: host }: HostRow): Promise<boolean> => {
        if (resellerId !== undefined) {
          const one = { resellerId, filters: { host }, page: 1, perPage: 1 }
          return (await store.listAccounts(one)).total > 0
        }
        if (accountId === undefined) return true
        return (await store.accountById(accountId))?.host_id === id
      }
      const seen = await Promise.all(missed.map(isSeen))
      return missed
        .filter((_, index) => seen[index])
        .map(({ id, name, seen_secs: secs }) => ({
          id,
          name,
          since: secs === null ? null : isoOf(secs),
        }))
    },
    async add({ name, address, role }) {
      const parsed = parseLinkAddress(address)
      if (parsed === null) throw invalid('address', 'address is not one.')
      const link_id = `host-${randomId().slice(0, LINK_ID_DIGITS)}`
      const { token, joinKey } = await links().invite({ link_id, role })
      const made = await store.insertHost({
        ...{ name, role, link_id, address: formatLinkAddress(parsed), certificate: null },
        next_certificate: null,
        join_key: joinKey,
        join_until_secs: Math.floor(clock.nowMs() / 1000) + JOIN_SECS,
        ...{ seen_secs: null, misses: 0, disk_free_percent: null, php_versions: '[]' },
        trust_version: 0,
        ...{ state: 'joining', weight: 1, created_at: timestamp(clock.nowMs()) },
      })
      if (made === 'duplicate') throw conflict(`There is a host ${name} already.`, 'name')
      await trust.trustOwn()
      return { ...viewOf(made, 0), token }
    },
    async open(name) {
      const found = await named(name)
      const { id, link_id, address, join_key: joinKey, join_until_secs } = found
      if (found.state === 'closed') return changed(found, { state: 'open' })
      if (joinKey === null || join_until_secs === null)
        throw conflict(`The host ${name} is open already.`)
      const isLate = (): boolean => clock.nowMs() / 1000 >= join_until_secs
      const late = `The token of the host ${name} counts no more. Remove the host and add it again.`
      if (isLate()) throw conflict(late)
      const { certificate } = await links().meet({ link_id, address, joinKey })
      if (isLate()) throw conflict(late)
      const opened = await store.openHost(id, joinKey, certificate)
      if (opened === null) throw conflict(`The host ${name} was changed meanwhile.`)
      await store.hostAnswered(id, Math.floor(clock.nowMs() / 1000))
      // Its token named the panel that invited it alone.
      await trust.tellTrust()
      fronts.changed()
      return viewOf((await store.hostById(id)) ?? opened, 0)
    },
    close: async (name) => changed(await named(name), { state: 'closed' }),
    async change(name, change) {
      const host = await named(name)
      if (change.address !== undefined && host.id !== LOCAL_HOST)
        throw conflict(
          `The address of ${name} is that of its link, which its certificate is kept for. Remove it and add it anew to change it.`,
          'address',
        )
      return changed(host, change)
    },
    async remove(name) {
      const row = await named(name)
      const { id } = row
      if (row.role === 'front' && row.certificate !== null && !isAway(row)) await fronts.empty(id)
      const removed = await store.deleteHost(id)
      if (removed === 'absent') throw notFound('No such host.')
      if (removed === 'in-use')
        throw conflict(
          id === LOCAL_HOST
            ? `${name} is the machine of the panel itself, which stays. Close it, so that no new accounts are placed on it.`
            : `Accounts are on the host ${name}. Delete them first.`,
        )
      fronts.changed()
    },
  }
}
