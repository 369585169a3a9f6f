import { conflict, notFound, unavailable } from '#handlers/errors.ts'
import type { DatabaseToolPort } from '#handlers/ports/host/database-tool.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { Engine } from '../engine.ts'
import type { AccountLock, RegisteredDatabase, Registry } from '../../registry/types.ts'
import type { ToolPhp } from './tool-php.ts'

const KIND = 'database-tool.lend'
/** Beyond this a session ends even where its panel is gone. */
const LIMIT_MS = 8 * 3_600_000
/** Of all accounts; each may have PHP and connections. */
const MAX_SESSIONS = 50

interface Session {
  id: string
  panel: string | null
  row: RegisteredDatabase
  lent: string
  limit: NodeJS.Timeout
}

export interface DatabaseToolService extends DatabaseToolPort {
  /** Ends the sessions of an account that is suspended or goes. */
  closeAccount(username: string): Promise<void>
  /** Takes back what a crash left lent. */
  settle(): Promise<void>
  stop(): Promise<void>
}

/** Sessions of the web tool; see `DatabaseToolPort` for what each call promises. */
export const createDatabaseToolPort = (deps: {
  registry: Pick<
    Registry,
    'account' | 'database' | 'openOperation' | 'closeOperation' | 'openOperations'
  >
  lock: AccountLock
  engines: readonly Engine[]
  php: ToolPhp
  log: Log
}): DatabaseToolService => {
  const { registry, php, log } = deps
  const sessions = new Map<string, Session>()
  const turn: AccountLock = (username, work) => deps.lock(`database tool of ${username}`, work)

  const engineOf = (name: string): Engine => {
    const engine = deps.engines.find((one) => one.name === (name === 'mysql' ? 'mariadb' : name))
    if (engine) return engine
    throw unavailable(`There is no ${name} server on this host.`)
  }
  const keyOf = (id: string, { engine, database }: RegisteredDatabase) => ({
    id,
    kind: KIND,
    subject: `${engine}:${database}`,
  })

  const end = async (session: Session): Promise<void> => {
    if (!sessions.delete(session.id)) return
    clearTimeout(session.limit)
    const { row, lent, id } = session
    // What the last session runs ends with PHP; so does all that PHP keeps of it.
    if (sessions.size === 0) await php.stop()
    await engineOf(row.engine).takeBack(row.database, row.user, lent)
    registry.closeOperation(keyOf(id, row), 'done')
  }
  const ended = (session: Session): Promise<void> =>
    turn(session.row.username, () => end(session)).catch((error: unknown) => {
      // The next start of the agent takes it back.
      log.error('a login of the database tool was not taken back', { error: String(error) })
    })

  return {
    open: ({ sessionId, panel = null, username, engine: name, database }) =>
      turn(username, async () => {
        const engine = engineOf(name)
        const row = registry.database(engine.name, database)
        const account = registry.account(username)
        if (row?.username !== username || !account)
          throw notFound(`Account ${username} has no database ${database}.`)
        if (account.suspended || row.locked)
          throw conflict(`Account ${username} is suspended. Unsuspend it first.`)
        const same = [...sessions.values()].find(
          ({ row: other }) => other.engine === row.engine && other.user === row.user,
        )
        if (same) await end(same)
        if (sessions.size >= MAX_SESSIONS)
          throw unavailable('Too many databases are open in the tool. Close one, then try again.')
        await engine.whenReady()
        const { socket, script } = await php.ensure()
        registry.openOperation(keyOf(sessionId, row), { username, user: row.user })
        const lent = await engine.lend(database, row.user)
        const session: Session = {
          id: sessionId,
          panel,
          row,
          lent: lent.user,
          limit: setTimeout(() => void ended(session), LIMIT_MS),
        }
        session.limit.unref()
        sessions.set(sessionId, session)
        const { server, user, password } = lent
        return { socket, script, server, user, password }
      }),
    async close({ sessionId }) {
      const session = sessions.get(sessionId)
      if (session) await ended(session)
    },
    async closeAll({ except }) {
      for (const session of [...sessions.values()])
        if (session.panel === null || !except.includes(session.panel)) await ended(session)
    },
    async closeAccount(username) {
      for (const session of [...sessions.values()])
        if (session.row.username === username) await ended(session)
    },
    async settle() {
      for (const { id, kind, subject, data } of registry.openOperations(KIND)) {
        if (sessions.has(id)) continue
        const [name = '', database = ''] = subject.split(':')
        try {
          const engine = engineOf(name)
          const row = registry.database(engine.name, database)
          // PostgreSQL's roles are swept by the engine, when it is ready first.
          if (row !== null && row.user === data['user']) {
            await engine.whenReady()
            await engine.takeBack(database, row.user, '')
          }
          registry.closeOperation({ id, kind, subject }, 'undone')
        } catch (error) {
          log.warn('a login of the database tool was not taken back yet', { error: String(error) })
        }
      }
    },
    async stop() {
      for (const session of [...sessions.values()]) await ended(session)
      await php.stop()
    },
  }
}
