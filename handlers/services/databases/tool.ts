import { eachHost } from '../on-hosts/each-host.ts'
import { createOneTimeTickets } from '../../domain/access/one-time-tickets.ts'
import { randomSecret } from '../../domain/access/random-secret.ts'
import { AppError, notFound } from '../../errors.ts'
import type { ToolLogin } from '../../ports/host/database-tool.ts'
import type { DatabaseEngine } from '../../ports/store/records.ts'
import { otherInstances } from '../journal/other-instances.ts'
import { requireActiveAccount } from '../records/lookup.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { findDatabase } from './find-database.ts'
import type { EngineName } from './find-database.ts'

/** From the click to the page that it opens. */
const TICKET_MS = 60_000
/** Without a request. */
const IDLE_MS = 30 * 60_000
const LIMIT_MS = 4 * 3_600_000
const MAX_TICKETS = 200
/** Of one user. */
const MAX_OWN_TICKETS = 10

/** Who opens a database, and how it is found out that he no longer may. */
export interface ToolHolder {
  /** `role:id`. */
  user: string
  /** Address of his browser. */
  clientAddress: string
  /** Throws once the session of the panel that the ticket was asked for with would not be let in any more. */
  reauthenticate(): Promise<void>
}

/** A database that somebody has open in the web tool. */
export interface ToolSession {
  id: string
  /** Who has it open, `role:id`. */
  holder: string
  login: ToolLogin
  engine: DatabaseEngine
  database: string
  /** The database's user, whose rights the login has. */
  user: string
  /** Cookies of the tool: the browser never sees one. */
  cookies: Map<string, string>
}

/** What the tool's listener asks. */
export interface DatabaseToolDoor {
  /** Takes a ticket, once, and answers the secret of the session that it opens. 404 for any other. */
  redeem(ticket: string, clientAddress: string): Promise<string>
  /** The session of a secret, 404 where there is none or its holder has lost his right. */
  session(secret: string, clientAddress: string): Promise<ToolSession>
  end(secret: string): Promise<void>
}

/** The web tool for databases. Tickets and sessions live as long as the instance of the panel that gave them does. */
export interface DatabaseTool extends DatabaseToolDoor {
  /** A ticket for one database of an active account, good once and for a minute. */
  ticket(
    choice: { accountId: number; name: string; engine: EngineName | null },
    holder: ToolHolder,
  ): Promise<string>
  /** Ends sessions whose time is over or whose holder has logged out, was suspended, or lost his right otherwise. */
  check(): Promise<void>
  /** Ends what an earlier panel has left open; nothing of other instances that live. */
  begin(): Promise<void>
  /** The same of instances that ended since it was asked last; to be called now and then. */
  endAbandoned(): Promise<void>
}

interface Ticket {
  holder: ToolHolder
  accountId: number
  engine: DatabaseEngine
  database: string
}

interface OpenSession extends ToolSession {
  hostId: number
  by: ToolHolder
  beganMs: number
  usedMs: number
}

const gone = (): AppError =>
  notFound('This session of the database tool has ended. Open the database in the panel again.')

export const createDatabaseTool = (
  deps: Pick<ServiceDeps, 'store' | 'host' | 'clock' | 'log' | 'instance'>,
): DatabaseTool => {
  const { store, host, clock, log, instance } = deps
  const tickets = createOneTimeTickets<Ticket>({
    ...{ lifeMs: TICKET_MS, most: MAX_TICKETS, mostOfOne: MAX_OWN_TICKETS },
    nowMs: () => clock.nowMs(),
  })
  const sessions = new Map<string, OpenSession>()
  /** Other instances that lived when it was looked last. */
  let others: string[] = []

  const closeAllBut = (except: string[]): Promise<void> =>
    eachHost(deps, 'sessions of the database tool were not closed', (_, { databaseTool }) =>
      databaseTool.closeAll({ except }),
    )

  const end = async (secret: string): Promise<void> => {
    const session = sessions.get(secret)
    if (session === undefined) return
    sessions.delete(secret)
    await host.of(session.hostId).databaseTool.close({ sessionId: session.id })
  }
  const endQuietly = (secret: string): Promise<void> =>
    end(secret).catch((error: unknown) => {
      log.warn('a session of the database tool was not closed', { error: String(error) })
    })
  const isOver = ({ beganMs, usedMs }: OpenSession): boolean => {
    const now = clock.nowMs()
    return now - beganMs > LIMIT_MS || now - usedMs > IDLE_MS
  }
  const mayGoOn = (holder: ToolHolder): Promise<boolean> =>
    holder.reauthenticate().then(
      () => true,
      (error: unknown) => {
        // A store that fails for a moment ends nothing, and lets nobody in either.
        if (error instanceof AppError && [401, 403, 404].includes(error.status)) return false
        throw error
      },
    )

  return {
    async ticket({ accountId, name, engine }, holder) {
      const account = await requireActiveAccount(store, accountId)
      const row = await findDatabase(store, account, name, engine)
      const about = { holder, accountId, engine: row.engine, database: row.database_name }
      const ticket = tickets.issue(holder.user, about)
      if (ticket === null)
        throw new AppError(429, 'Too many databases are being opened. Try again in a minute.', {
          headers: { 'retry-after': '60' },
        })
      return ticket
    },
    async redeem(ticket, clientAddress) {
      const found = tickets.take(ticket)
      if (found === null) throw gone()
      const { holder, accountId, engine, database } = found
      if (holder.clientAddress !== clientAddress || !(await mayGoOn(holder))) throw gone()
      const account = await requireActiveAccount(store, accountId)
      const row = await findDatabase(store, account, database, engine)
      const id = crypto.randomUUID()
      const names = { username: account.username, engine, database: row.database_name }
      const login = await host.databaseTool.open({
        ...{ sessionId: id, ...names },
        ...(instance === undefined ? {} : { panel: instance }),
      })
      const secret = randomSecret()
      const now = clock.nowMs()
      sessions.set(secret, {
        hostId: account.host_id,
        ...{ id, login, engine, database: row.database_name, user: row.database_user },
        ...{ by: holder, holder: holder.user },
        cookies: new Map(),
        beganMs: now,
        usedMs: now,
      })
      return secret
    },
    async session(secret, clientAddress) {
      const session = sessions.get(secret)
      if (session === undefined || session.by.clientAddress !== clientAddress) throw gone()
      if (isOver(session) || !(await mayGoOn(session.by))) {
        await endQuietly(secret)
        throw gone()
      }
      session.usedMs = clock.nowMs()
      return session
    },
    end,
    async check() {
      for (const [secret, session] of [...sessions])
        if (isOver(session) || !(await mayGoOn(session.by).catch(() => true)))
          await endQuietly(secret)
    },
    async begin() {
      others = await otherInstances(deps)
      await closeAllBut(others)
    },
    async endAbandoned() {
      if (instance === undefined) return
      const now = await otherInstances(deps)
      const ended = others.some((one) => !now.includes(one))
      others = now
      if (ended) await closeAllBut([...now, instance])
    },
  }
}
