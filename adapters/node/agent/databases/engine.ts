import type { Readable } from 'node:stream'
import type { DatabaseEngine } from '#handlers/ports/store/records.ts'
import type { RunAs } from '../../process/as-user.ts'
import type { EngineHealth } from './engine-health.ts'
import type { RemoteLogins } from './remote/remote-logins.ts'
import type { RunningStatement } from './slow/running-statement.ts'
import type { FurtherUsers, ServedGrant } from './users/further-users.ts'

/** What the server tells of a database. */
export interface DatabaseSize {
  sizeBytes: number
  tables: number
}

/** A login for a while. */
export interface LentLogin {
  user: string
  password: string
  /** What the client connects to: `localhost:<socket>` of MariaDB, `<directory>:<port>` of PostgreSQL. */
  server: string
}

/** Where a dump is put. */
export interface RestoreTarget {
  database: string
  user: string
  runAs: RunAs | null
  /** Its user may not log in, and may not afterwards. */
  locked?: boolean
  /** Further users, whose rights in it are in force again when it is whole. Default: none. */
  further?: readonly { user: string; grants: readonly ServedGrant[] }[]
}

/**
 * One kind of database server. Names given here have been checked; each method
 * throws 503 when the server cannot be reached.
 */
export interface Engine {
  name: DatabaseEngine
  /** What applications on this host write as host: `localhost`, or a socket directory. */
  host: string
  /** Null when it is not installed. Waits a moment for a server that is just starting. */
  info(): Promise<{ version: string; running: boolean } | null>
  /**
   * How the server stands; starts nothing. `databases`: those of the accounts. Null where
   * there is nothing to look at: it is not installed, or was never used.
   */
  health(databases: readonly string[]): Promise<EngineHealth | null>
  /** Resolves when statements can be run, starting the server when it is ours. */
  whenReady(): Promise<void>
  /** Whether a database or a user of that name is there. */
  exists(database: string, user: string): Promise<boolean>
  /** Creates database and user with rights on nothing else; either may be there already. */
  create(database: string, user: string, password: string): Promise<void>
  /** Sets the password of a user that is there; its connections and a lock stay. */
  setPassword(user: string, password: string): Promise<void>
  /** What the server keeps of the password of a user that is there; null: nothing that could be set again. */
  passwordHash(user: string): Promise<string | null>
  /** Sets what `passwordHash` told, maybe on another host: 400 for any other text. A lock stays. */
  setPasswordHash(user: string, hash: string): Promise<void>
  /** Ends the user's connections and drops both; missing ones are no error. */
  drop(database: string, user: string): Promise<void>
  /** Closes or opens the login; closing ends the user's connections. */
  setLocked(user: string, locked: boolean): Promise<void>
  /** What it runs for longer than `overMs`, the longest first; starts nothing. */
  running(overMs: number): Promise<RunningStatement[]>
  /** Users of a database beside its own. */
  readonly users: FurtherUsers
  /** Users as they come from other machines. */
  readonly remote: RemoteLogins
  /** Divides an account's share of the server's connections among its users. */
  shareConnections(users: readonly string[]): Promise<void>
  /** Tables (no views) of a database, and the rows in all of them, seen with the rights of its user. */
  count(database: string, user: string): Promise<{ tables: number; rows: number }>
  sizes(databases: readonly string[]): Promise<Map<string, DatabaseSize>>
  /**
   * The whole database as SQL text, without statements that choose or create one.
   * The stream fails when the dump does; a whole dump ends with `dumpEnd`.
   */
  dump(database: string): Readable
  /**
   * A dump in an archive format of the server's own as SQL text like `dump`'s; null where it
   * is not installed. The dump is hostile. Absent: there is no such format.
   */
  plainDump?(dump: AsyncIterable<Buffer>): AsyncIterable<Buffer> | null
  /** Found in the last kilobyte of every whole dump, e.g. the closing comment. */
  readonly dumpEnd: RegExp
  /**
   * Empties the database and runs a dump in it with the rights of its own `user`
   * and nothing else: the dump is as hostile as any upload. The client program runs
   * as `runAs` (the account; null: ourselves). Throws an `AppError` 409 with the
   * server's words when a statement is refused; the database is then half full.
   */
  restore(target: RestoreTarget, dump: Readable): Promise<void>
  /**
   * Another login with the rights of a database's `user`, beside the one that the sites have:
   * what is made with it belongs to that user. One at a time for each database.
   */
  lend(database: string, user: string): Promise<LentLogin>
  /** Ends it and what it is connected for; also one that a crash left. Missing users are no error. */
  takeBack(database: string, user: string, lent: string): Promise<void>
  /** Begins to start the server, when it is ours. */
  start(): void
  stop(): Promise<void>
}
