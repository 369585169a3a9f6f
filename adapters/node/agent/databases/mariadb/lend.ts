import { randomBytes } from 'node:crypto'
import { unavailable } from '#handlers/errors.ts'
import type { LentLogin } from '../engine.ts'
import type { MariadbSession } from './session.ts'
import { lendStatement, onlyStatement } from './statements.ts'
import { storedHash } from './stored-hash.ts'

/**
 * A second password of the user itself: views, triggers and routines that are made with
 * it name their user as definer, and are not orphaned when it goes. The first password stays in force.
 */
export const lendMariadb = async (
  session: MariadbSession,
  socket: string,
  user: string,
): Promise<LentLogin> => {
  const hash = await storedHash(session, user)
  if (hash === null)
    throw unavailable(
      `The database user ${user} has no password yet. Set one, then open the database again.`,
    )
  const password = randomBytes(24).toString('base64url')
  await session.run(lendStatement(user, hash, password))
  return { user, password, server: `localhost:${socket}` }
}

/** The first password alone is in force again. */
export const takeBackMariadb = async (session: MariadbSession, user: string): Promise<void> => {
  const hash = await storedHash(session, user)
  if (hash !== null) await session.run(onlyStatement(user, hash))
}
