import { invalid, notFound } from '#handlers/errors.ts'
import { isRemoteAddress } from '#handlers/domain/databases/remote-address.ts'
import type {
  DatabaseRemotePort,
  RemoteCertificate,
} from '#handlers/ports/host/databases/database-remote.ts'
import type { Log } from '#handlers/ports/log.ts'
import type { AccountLock, Registry } from '../../registry/types.ts'
import { runOperation } from '../../run-operation.ts'
import type { Engine } from '../engine.ts'
import { servedGrants } from '../users/served-grants.ts'
import type { RemoteLogin } from './remote-logins.ts'

/** What is known of all engines together. */
export interface RemoteAccess {
  /** Null: none is known. */
  host: string | null
  certificate(): RemoteCertificate
  /** Lays another certificate where the servers read it; answers the engines that have to take it up. */
  renewed(): Promise<Engine['name'][]>
}

export interface DatabaseRemoteService extends DatabaseRemotePort {
  /** Has the users of an account let in from where its records say, in one engine. */
  sync(engine: Engine, username: string): Promise<void>
  /** Begins to look for another certificate, and makes the servers what the records say. */
  start(): void
  stop(): Promise<void>
}

export interface RemotePortDeps {
  registry: Registry
  /** In turn with all that changes the databases of the account. */
  lock: AccountLock
  engines: readonly Engine[]
  /** Null: no server is reached from elsewhere. */
  access: RemoteAccess | null
  log: Log
}

/** How often a certificate that was renewed is looked for. */
const CERTIFICATE_MS = 60_000
/** As many as an account may have by the widest plan. */
const MOST = 1000

/** Databases as they are reached from other machines; see `DatabaseRemotePort` for what each call promises. */
export const createRemotePort = (deps: RemotePortDeps): DatabaseRemoteService => {
  const { registry, lock, engines, access, log } = deps
  let timer: NodeJS.Timeout | null = null
  let working: Promise<void> = Promise.resolve()

  /** Users of an account in one engine, with where they may come from. */
  const loginsOf = (engine: Engine, username: string): RemoteLogin[] => {
    const addresses = engine.remote.wanted ? registry.databaseAddressesOf(username) : []
    const own = registry.databasesOf(username).map((row) => ({
      ...row,
      grants: [{ database: row.database, rights: 'all' as const }],
    }))
    return [...own, ...registry.databaseUsersOf(username)]
      .filter((row) => row.engine === engine.name)
      .map(({ user, grants, locked }) => ({
        user,
        grants: servedGrants(registry, engine.name, grants),
        addresses: locked ? [] : addresses,
      }))
  }
  const everybody = (engine: Engine): RemoteLogin[] => {
    const rows = [...registry.databases(), ...registry.databaseUsers()]
    const names = new Set(rows.flatMap((row) => (row.engine === engine.name ? [row.username] : [])))
    return [...names].flatMap((username) => loginsOf(engine, username))
  }

  const sync = async (engine: Engine, username: string): Promise<void> => {
    const logins = loginsOf(engine, username)
    await engine.remote.set(logins, () => everybody(engine))
  }
  /** Of every engine that the account has something in; others are not started for it. */
  const syncAll = async (username: string): Promise<void> => {
    for (const engine of engines) {
      if (loginsOf(engine, username).length === 0) continue
      await engine.whenReady()
      await sync(engine, username)
    }
  }

  /** Whatever the servers were left with: by a crash, or a configuration that said otherwise. */
  const begin = async (): Promise<void> => {
    for (const engine of engines)
      try {
        const rows = [...registry.databases(), ...registry.databaseUsers()]
        const mine = rows.filter((row) => row.engine === engine.name)
        if (mine.length > 0) await engine.whenReady()
        for (const username of new Set(mine.map((row) => row.username)))
          await lock(username, () => sync(engine, username))
        // One that an earlier agent left may have read an older one.
        if (engine.remote.wanted && mine.length > 0) await engine.remote.renewCertificate()
      } catch (error) {
        log.error('who may reach databases from elsewhere is not what it should be', {
          engine: engine.name,
          error: String(error),
        })
      }
    // Whoever asked for these asks again; the records say what holds.
    for (const { id, kind, subject } of registry.openOperations('database-remote.'))
      registry.closeOperation({ id, kind, subject }, 'undone')
  }
  const renew = async (): Promise<void> => {
    if (access === null) return
    for (const name of await access.renewed()) {
      const engine = engines.find((one) => one.name === name)
      await engine?.remote.renewCertificate()
      log.info('a database server shows another certificate', { engine: name })
    }
  }

  return {
    sync,

    async state() {
      const states = await Promise.all(
        engines.map(async (engine) => ({
          engine: engine.name,
          ...(await engine.remote.serving().catch(() => ({
            port: null,
            problem: 'the server does not answer',
          }))),
        })),
      )
      const wanted = access !== null && engines.some(({ remote }) => remote.wanted)
      return {
        engines: states,
        host: access?.host ?? null,
        certificate: wanted ? access.certificate() : null,
      }
    },

    async setAddresses({ operationId, username, addresses }) {
      for (const address of addresses)
        if (!isRemoteAddress(address))
          throw invalid('address', 'address is not spelt as it is kept, or may not be let in.')
      if (addresses.length > MOST) throw invalid('address', `There may be ${MOST} addresses.`)
      await lock(username, async () => {
        if (registry.account(username) === null) throw notFound(`No account named ${username}.`)
        const key = { id: operationId, kind: 'database-remote.set', subject: username }
        const before = registry.databaseAddressesOf(username)
        await runOperation(
          registry,
          key,
          { username },
          async () => {
            registry.putDatabaseAddresses(username, addresses)
            await syncAll(username)
          },
          async () => {
            registry.putDatabaseAddresses(username, before)
            await syncAll(username)
          },
        )
      })
    },

    start() {
      working = begin()
      if (access === null) return
      timer = setInterval(() => {
        working = working.then(renew).catch((error: unknown) => {
          log.warn('the certificate of the database servers was not renewed', {
            error: String(error),
          })
        })
      }, CERTIFICATE_MS)
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearInterval(timer)
      await working
    },
  }
}
