import { randomSecret } from '../../domain/access/random-secret.ts'
import type { HostPorts } from '../../ports/host/host.ts'
import type { AccountRow, OperationRow } from '../../ports/store/records.ts'
import { isGone } from '../journal/attempts.ts'
import { planOf } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { effectivePhp } from '../virtual-hosts/virtual-hosts.ts'

/** Makes the account on another host as the panel's records have it: user, limits, databases with their users. Nobody knows a password of it. */
export const prepareTarget = async (
  { store }: Pick<ServiceDeps, 'store'>,
  [target, hostId]: readonly [HostPorts, number],
  account: AccountRow,
  { id: operationId }: OperationRow,
): Promise<{ uid: number; home: string }> => {
  const { id, username } = account
  const copies = await store.listAccountCopies()
  if (copies.some((one) => one.username === username && one.host_id === hostId)) {
    // What an earlier move has left there is older than what comes now.
    const left = (await target.users.list()).some((one) => one.username === username)
    if (left)
      await target.users
        .remove({ operationId: `${operationId}.left`, username })
        .catch((error: unknown) => {
          if (!isGone(error)) throw error
        })
  }
  const order = { operationId, username }
  const made = await target.users.create({
    ...{ ...order, password: randomSecret(), primaryDomain: account.primary_domain },
    diskQuotaMb: account.disk_quota_mb,
    ...(account.uid === null ? {} : { uid: account.uid }),
  })
  const plan = await planOf(store, account)
  await target.users.setLimits({
    ...order,
    processes: plan.processes_limit,
    memoryMb: plan.memory_limit_mb,
    memoryTotalMb: plan.memory_total_mb,
    cpuWeight: plan.cpu_weight,
    cpuPercent: plan.cpu_percent,
    ioWeight: plan.io_weight,
  })
  await target.mailQueue.setAccount({
    ...{ username, perHour: plan.mails_per_hour_limit, mainDomain: account.primary_domain },
  })
  const php = effectivePhp(account, await target.php.versions())
  if (php !== null && account.php_version !== null)
    await target.php.configure({ ...order, version: php.version, mode: php.mode })
  const databases = await store.listDatabases(id)
  for (const { engine, database_name: database, database_user: user } of databases)
    await target.databases.create({ ...order, engine, database, user, password: randomSecret() })
  const nameOf = new Map(databases.map((row) => [row.id, row.database_name]))
  for (const { engine, name: user, grants } of await store.listDatabaseUsers(id))
    await target.databaseUsers.create({
      ...{ ...order, engine, user, password: randomSecret() },
      grants: grants.flatMap(({ database_id, rights }) => {
        const database = nameOf.get(database_id)
        return database === undefined ? [] : [{ database, rights }]
      }),
    })
  const addresses = (await store.listDatabaseAddresses(id)).map(({ address }) => address)
  if (addresses.length > 0) await target.databaseRemote.setAddresses({ ...order, addresses })
  return { uid: made.uid, home: made.home }
}
