import { timestamp } from '../../domain/text/timestamp.ts'
import type { AccountRow, DatabaseEngine } from '../../ports/store/records.ts'
import type { Journal } from '../journal/journal.ts'
import type { ServiceDeps } from '../service-deps.ts'
import type { Repair } from './finding.ts'

type AccessRepair = Extract<
  Repair,
  { do: 'adopt-database-user' | 'set-database-grants' | 'set-database-addresses' }
>

/** Puts right who gets into databases; each looks again, alone with its account, before it changes anything. */
export const createAccessRepairs = ({
  store,
  host,
  journal,
  clock,
}: Pick<ServiceDeps, 'store' | 'host' | 'clock'> & { journal: Journal }) => {
  const newId = (): string => `doctor.${crypto.randomUUID()}`

  const adopt = async (
    { id }: AccountRow,
    {
      engine,
      user,
      username,
      grants,
    }: Extract<AccessRepair, { do: 'adopt-database-user' }>['user'],
  ): Promise<void> => {
    const databases = (await store.listDatabases(id)).filter((row) => row.engine === engine)
    const known = grants.flatMap(({ database, rights }) => {
      const row = databases.find(({ database_name }) => database_name === database)
      return row === undefined ? [] : [{ database_id: row.id, rights }]
    })
    const created_at = timestamp(clock.nowMs())
    await store.insertDatabaseUser(
      { account_id: id, engine, name: user, created_at, grants: known },
      { ...journal.newOperation('doctor.adopt', username, {}), state: 'done' },
      null,
    )
  }

  const setGrants = async (
    { id, username }: AccountRow,
    engine: DatabaseEngine,
    user: string,
  ): Promise<void> => {
    const rows = await store.listDatabaseUsers(id)
    const row = rows.find((one) => one.engine === engine && one.name === user)
    if (row === undefined) return
    const names = new Map((await store.listDatabases(id)).map((one) => [one.id, one.database_name]))
    const grants = row.grants.flatMap(({ database_id, rights }) => {
      const database = names.get(database_id)
      return database === undefined ? [] : [{ database, rights }]
    })
    await host.databaseUsers.setGrants({ operationId: newId(), username, engine, user, grants })
  }

  return {
    repair: (one: AccessRepair): Promise<void> => {
      const username = one.do === 'adopt-database-user' ? one.user.username : one.username
      return journal.exclusively(username, async () => {
        const account = await store.accountByName(username)
        if (account === null) return
        if (one.do === 'adopt-database-user') return adopt(account, one.user)
        if (one.do === 'set-database-grants') return setGrants(account, one.engine, one.user)
        const rows = await store.listDatabaseAddresses(account.id)
        const addresses = rows.map(({ address }) => address)
        await host.databaseRemote.setAddresses({ operationId: newId(), username, addresses })
      })
    },
  }
}
