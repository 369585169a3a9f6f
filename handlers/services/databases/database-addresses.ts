import { planLimitReached } from '../../domain/accounts/plan.ts'
import { remoteAddress } from '../../domain/databases/remote-address.ts'
import { timestamp } from '../../domain/text/timestamp.ts'
import { conflict, notFound } from '../../errors.ts'
import type { RemoteState } from '../../ports/host/databases/database-remote.ts'
import type { DatabaseAddressRow } from '../../ports/store/databases/database-addresses-store.ts'
import type { ListQuery, Page } from '../../ports/store/list-query.ts'
import type { Journal } from '../journal/journal.ts'
import {
  planOf,
  requireAccount,
  requireActiveAccount,
  requireSettledAccount,
} from '../records/lookup.ts'
import { pageOf } from '../records/page-of.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { DATABASE_ADDRESS } from './address-operations.ts'

/** An address as the API lists it. */
export type DatabaseAddressView = Omit<DatabaseAddressRow, 'account_id'>

/**
 * Addresses from which an account's databases may be reached over TLS, by all its users with their
 * passwords and rights. 404 for an account or address that is not there.
 */
export interface DatabaseAddresses {
  /** How the machine's servers are reached from elsewhere. */
  state(): Promise<RemoteState>
  list(accountId: number, query: ListQuery): Promise<Page<DatabaseAddressView>>
  /** 400 for what `remoteAddress` refuses, 409 for one that is there or an account that is not active, 403 at the plan's limit unless an administrator asks. */
  create(input: {
    accountId: number
    address: string
    note: string
    byAdministrator: boolean
  }): Promise<DatabaseAddressView>
  /** Connections from there end. */
  remove(accountId: number, id: number): Promise<void>
}

const LISTED = {
  searched: ({ address, note }: DatabaseAddressView) => [address, note],
  sortable: {
    address: ({ address }: DatabaseAddressView) => address,
    note: ({ note }: DatabaseAddressView) => note,
    created_at: ({ created_at }: DatabaseAddressView) => created_at,
  },
}

const viewOf = ({ id, address, note, created_at }: DatabaseAddressRow): DatabaseAddressView => ({
  ...{ id, address, note, created_at },
})

type Deps = Pick<ServiceDeps, 'store' | 'host' | 'clock'> & { journal: Journal }

export const createDatabaseAddresses = (deps: Deps): DatabaseAddresses => {
  const { store, host, clock, journal } = deps
  return {
    state: () => host.local.databaseRemote.state(),
    async list(accountId, query) {
      await requireAccount(store, accountId)
      return pageOf((await store.listDatabaseAddresses(accountId)).map(viewOf), query, LISTED)
    },
    async create({ accountId, address: text, note, byAdministrator }) {
      const address = remoteAddress(text)
      const { username } = await requireSettledAccount(store, accountId)
      return journal.exclusively(username, async () => {
        const account = await requireActiveAccount(store, accountId)
        const { database_addresses_limit: most } = await planOf(store, account)
        const operation = journal.newOperation(DATABASE_ADDRESS.create, username, {
          ...{ account_id: accountId, address },
        })
        const row = { account_id: accountId, address, note, created_at: timestamp(clock.nowMs()) }
        const limit = byAdministrator ? null : most
        const made = await store.insertDatabaseAddress(row, operation, limit)
        if (made === 'duplicate')
          throw conflict(`${address} may reach the databases already.`, 'address')
        if (made === 'limit') {
          const { database_addresses: used } = await store.accountUsage(accountId)
          throw planLimitReached(account, 'addresses', used, most)
        }
        await journal.create(operation, [
          {
            name: 'host',
            run: async () =>
              host.databaseRemote.setAddresses({
                operationId: operation.id,
                username,
                addresses: (await store.listDatabaseAddresses(accountId)).map((one) => one.address),
              }),
          },
        ])
        return viewOf(made)
      })
    },
    async remove(accountId, id) {
      const { username } = await requireSettledAccount(store, accountId)
      await journal.exclusively(username, async () => {
        const rows = await store.listDatabaseAddresses(accountId)
        const row = rows.find((one) => one.id === id)
        if (row === undefined)
          throw notFound(`Account ${username} has no address with the number ${id}.`)
        const operation = journal.newOperation(DATABASE_ADDRESS.remove, username, {
          ...{ account_id: accountId, address: row.address },
        })
        await store.openOperation(operation)
        await journal.finish(operation)
      })
    },
  }
}
