import type { HostPorts } from '../../ports/host/host.ts'
import type { DnsAccess, DnsAccessChange, NewDnsAccess } from '../../ports/host/dns-access.ts'
import type { ListQuery, Page } from '../../ports/store/list-query.ts'
import type { Journal } from '../journal/journal.ts'
import { requireAccount, requireActiveAccount, requireSettledAccount } from '../records/lookup.ts'
import { pageOf } from '../records/page-of.ts'
import type { ServiceDeps } from '../service-deps.ts'

/**
 * Access to zones by which names of an account, or with null of the panel, are proved to
 * certificate authorities; only the host knows the keys. 404 for an account that is not there.
 */
export interface DnsAccesses {
  list(accountId: number | null, query: ListQuery): Promise<Page<ShownDnsAccess>>
  /** Tried first. 409 for a name that is taken, or an account that is not active; 400 and 503 as the host says. */
  add(accountId: number | null, access: NewDnsAccess): Promise<ShownDnsAccess>
  /** Tried first, as the host does it. 404 where it is not, 409 when the account is not active. */
  change(accountId: number | null, name: string, change: DnsAccessChange): Promise<ShownDnsAccess>
  remove(accountId: number | null, name: string): Promise<void>
}

/** Access, and the record that leads to it where there has to be one. */
export interface ShownDnsAccess extends DnsAccess {
  record: { type: 'CNAME'; name: string; value: string } | null
}

const shown = (access: DnsAccess): ShownDnsAccess => {
  const { zone, target } = access
  const name = `_acme-challenge.${zone}`
  return { ...access, record: target === null ? null : { type: 'CNAME', name, value: target } }
}

const LISTED = {
  searched: ({ name, server, zone, key_name }: DnsAccess) => [
    name,
    server ?? '',
    zone,
    key_name ?? '',
  ],
  sortable: {
    name: ({ name }: DnsAccess) => name,
    zone: ({ zone }: DnsAccess) => zone,
    server: ({ server }: DnsAccess) => server ?? '',
    created_at: ({ created_at }: DnsAccess) => created_at,
  },
}

type Deps = Pick<ServiceDeps, 'store' | 'host'> & { journal: Journal }

export const createDnsAccesses = ({ store, host, journal }: Deps): DnsAccesses => {
  /** In the turn of the account, so that none is added while it is being deleted. */
  const inTurn = async <T>(
    accountId: number | null,
    work: (username: string | null) => Promise<T>,
  ): Promise<T> => {
    if (accountId === null) return work(null)
    const { username } = await requireSettledAccount(store, accountId)
    return journal.exclusively(username, () => work(username))
  }
  /** The server's own are those of the panel's machine. */
  const of = (username: string | null): HostPorts =>
    username === null ? host.local : host.ofAccount(username)
  return {
    async list(accountId, query) {
      const username = accountId === null ? null : (await requireAccount(store, accountId)).username
      return pageOf((await of(username).dnsAccess.list({ username })).map(shown), query, LISTED)
    },
    add: (accountId, access) =>
      inTurn(accountId, async (username) => {
        if (accountId !== null) await requireActiveAccount(store, accountId)
        return shown(await of(username).dnsAccess.add({ username, access }))
      }),
    change: (accountId, name, change) =>
      inTurn(accountId, async (username) => {
        if (accountId !== null) await requireActiveAccount(store, accountId)
        return shown(await of(username).dnsAccess.change({ username, name, change }))
      }),
    remove: (accountId, name) =>
      inTurn(accountId, (username) => of(username).dnsAccess.remove({ username, name })),
  }
}
