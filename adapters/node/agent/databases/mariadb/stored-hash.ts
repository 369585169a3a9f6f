import type { MariadbSession } from './session.ts'
import { isNativeHash } from './statements.ts'

/** What the server keeps of a user's password; null: there is no such user, or it logs in another way. */
export const storedHash = async ({ run }: MariadbSession, user: string): Promise<string | null> => {
  const [row] = await run(
    "SELECT JSON_VALUE(priv, '$.authentication_string') AS hash FROM mysql.global_priv WHERE user = ? AND host = 'localhost'",
    [user],
  )
  const hash = String(row?.['hash'] ?? '')
  return isNativeHash(hash) ? hash : null
}
