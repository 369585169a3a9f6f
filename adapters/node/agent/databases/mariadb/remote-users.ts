import type { MariadbSession } from './session.ts'
import { userAt, viaHash } from './statements.ts'

/** Hosts other than this machine that a user may log in from. */
export const hostsOf = async ({ run }: MariadbSession, user: string): Promise<string[]> => {
  const rows = await run(
    "SELECT host FROM mysql.global_priv WHERE user = ? AND host <> 'localhost'",
    [user],
  )
  return rows.map((row) => String(row['host']))
}

/** Lets a user in from this machine alone; his connections go on. */
export const dropRemote = async (open: MariadbSession, user: string): Promise<void> => {
  for (const host of await hostsOf(open, user))
    await open.run(`DROP USER IF EXISTS ${userAt(user, host)}`)
}

/** Gives a user that is there the same password wherever he comes from. */
export const setRemoteHash = async (
  open: MariadbSession,
  user: string,
  hash: string,
): Promise<void> => {
  for (const host of await hostsOf(open, user))
    await open.run(`ALTER USER ${userAt(user, host)} ${viaHash(hash)}`)
}
