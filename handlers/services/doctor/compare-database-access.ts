import type { DatabaseGrant } from '../../ports/host/databases/database-users.ts'
import type { HostInspection } from '../../ports/host/inspection.ts'
import type { Diagnosis } from './finding.ts'
import type { Records } from './records.ts'

/** Rights in one order, so that equal ones have equal texts. */
const textOf = (grants: readonly DatabaseGrant[]): string =>
  grants
    .map(({ database, rights }) => `${database} ${rights}`)
    .sort()
    .join('\n')

/** What is put right needs an account that is open; of a suspended one nothing opens meanwhile. */
const LATER = 'Unsuspend the account, then examine again.'

/** Who gets into the databases of accounts: further users with their rights, and addresses. */
export const compareDatabaseAccess = (records: Records, host: HostInspection): Diagnosis[] => {
  const found: Diagnosis[] = []
  const accounts = new Map(records.accounts.map((row) => [row.username, row]))
  // Of an account that one side lost, the account itself is reported.
  const onHost = new Set(host.accounts.map(({ username }) => username))
  const isActive = (username: string): boolean => accounts.get(username)?.status === 'active'
  const names = new Map(records.databases.map((row) => [row.id, row.database_name]))
  const keyOf = ({ engine, user }: { engine: string; user: string }) => `${engine}:${user}`
  const there = new Map(host.databaseUsers.map((row) => [keyOf(row), row]))
  const add = (
    subject: string,
    username: string,
    rest: Pick<Diagnosis, 'what' | 'fix' | 'repair'>,
  ) => void found.push({ kind: 'database-user', subject, username, ...rest })

  for (const { engine, name: user, username, grants } of records.databaseUsers) {
    if (!onHost.has(username)) continue
    const known = there.get(keyOf({ engine, user }))
    if (known === undefined) {
      add(user, username, {
        what: 'is a database user of the panel of which the host knows nothing',
        // Nobody but its owner has the password.
        fix: 'Delete the user in the panel, and make it again with its password.',
        repair: null,
      })
      continue
    }
    const wanted = grants.flatMap(({ database_id, rights }) => {
      const database = names.get(database_id)
      return database === undefined ? [] : [{ database, rights }]
    })
    if (textOf(wanted) !== textOf(known.grants)) {
      const can = isActive(username)
      add(user, username, {
        what: 'has other rights in databases than the panel shows',
        fix: can ? 'Gives it the rights that the panel shows, and no others.' : LATER,
        repair: can ? { do: 'set-database-grants', username, engine, user } : null,
      })
    }
    const isSuspended = accounts.get(username)?.status === 'suspended'
    if (known.locked !== isSuspended)
      add(user, username, {
        what: known.locked
          ? 'is locked, though its account is active'
          : 'is open, though its account is suspended',
        fix: known.locked
          ? "Opens the logins of the account's databases."
          : "Locks the logins of the account's databases.",
        repair: { do: 'lock-databases', username },
      })
  }
  const recorded = new Set(
    records.databaseUsers.map(({ engine, name: user }) => keyOf({ engine, user })),
  )
  for (const user of host.databaseUsers)
    if (accounts.has(user.username) && !recorded.has(keyOf(user)))
      add(user.user, user.username, {
        what: `was made by this installation for ${user.username}, but is not in the panel`,
        fix: 'Enters it in the panel, where it can be deleted if nobody wants it.',
        repair: { do: 'adopt-database-user', user },
      })

  const allowed = new Map(host.databaseAddresses.map((one) => [one.username, one.addresses]))
  for (const [username, wanted] of records.databaseAddresses) {
    if (!onHost.has(username)) continue
    const here = allowed.get(username) ?? []
    const more = here.filter((address) => !wanted.includes(address))
    const less = wanted.filter((address) => !here.includes(address))
    const told = [
      ...(more.length > 0 ? [`can be reached from ${more.join(', ')}, against the panel`] : []),
      ...(less.length > 0 ? [`cannot be reached from ${less.join(', ')}, as the panel shows`] : []),
    ]
    if (told.length > 0)
      found.push({
        kind: 'database-address',
        subject: `databases of ${username}`,
        what: told.join(', and '),
        fix: 'Allows the addresses that the panel shows, and no others.',
        repair: { do: 'set-database-addresses', username },
        username,
      })
  }
  return found
}
