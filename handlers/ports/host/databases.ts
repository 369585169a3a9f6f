import type { DatabaseEngine, Timestamp } from '../store/records.ts'

/** A database server that is installed. */
export interface EngineInfo {
  engine: DatabaseEngine
  version: string
  running: boolean
  /** What applications on this host write as host: `localhost`, or a socket directory. */
  host: string
}

/** Sizes as the server reports them. */
export interface DatabaseFacts {
  engine: DatabaseEngine
  database: string
  size_bytes: number | null
  tables: number | null
}

/** Statements that took long and differ in their values alone. */
export interface SlowQuery {
  engine: DatabaseEngine
  /** Full name of the one in use; null: none, or none of the account. */
  database: string | null
  user: string
  /** With `?` in place of values. */
  statement: string
  /** How often it was seen. */
  count: number
  longest_ms: number
  total_ms: number
  /** When it was seen last. */
  last_at: Timestamp
}

/**
 * Database servers of the host. Names are full names that start with
 * `<username>_`; the host refuses any other. 503 when the engine is not there.
 */
export interface DatabasesPort {
  /** Installed engines; empty when there are none. */
  engines(): Promise<EngineInfo[]>
  /**
   * Creates the database and its own user with rights on nothing else.
   * 409 when either exists. On failure neither is left.
   */
  create(input: {
    operationId: string
    username: string
    engine: DatabaseEngine
    database: string
    user: string
    password: string
  }): Promise<{ host: string }>
  /** Replaces the password of a database's user. 404 for a database that is not the account's, 409 while it is suspended. */
  setPassword(input: {
    operationId: string
    username: string
    engine: DatabaseEngine
    database: string
    user: string
    password: string
  }): Promise<void>
  /** Drops database and user; missing ones are no error. */
  remove(input: {
    operationId: string
    username: string
    engine: DatabaseEngine
    database: string
    user: string
  }): Promise<void>
  /** Slow statements of the account's users since the host was started, 200 at most. */
  slowQueries(input: { username: string }): Promise<SlowQuery[]>
  /** Databases this installation made for the account. */
  facts(input: { username: string }): Promise<DatabaseFacts[]>
  /** Locks or opens every database login of the account. */
  setLocked(input: { operationId: string; username: string; locked: boolean }): Promise<void>
}
