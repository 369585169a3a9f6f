import { createHash } from 'node:crypto'
import { invalid } from '#handlers/errors.ts'

/** Back-quoted identifier. */
export const quoteName = (name: string): string => `\`${name.replaceAll('`', '``')}\``

/** Quoted text that holds only characters without meaning inside quotes. */
const quotePlain = (text: string): string => {
  if (!/^[A-Za-z0-9_*]*$/.test(text)) throw new Error('unexpected character in a quoted text')
  return `'${text}'`
}

/** A user that logs in from this host only. */
export const localUser = (user: string): string => `${quotePlain(user)}@'localhost'`

/** A user that logs in from the hosts that the text stands for: an address, with a netmask, or the beginning of one. */
export const userAt = (user: string, host: string): string => {
  if (!/^([0-9a-f.:]+(\/[0-9.]+|%)?|%|localhost)$/.test(host))
    throw new Error('unexpected host of a user')
  return `${quotePlain(user)}@'${host}'`
}

/** A user wherever he is connected from; only of connections, no such user is there. */
export const userAnywhere = (user: string): string => userAt(user, '%')

/** In GRANT the database is a pattern: `_` and `%` would match other accounts' databases. */
export const grantPattern = (database: string): string =>
  quoteName(database.replace(/[\\_%]/g, '\\$&'))

/** What `mysql_native_password` keeps: the password itself never stands in a statement. */
export const nativePasswordHash = (password: string): string => {
  const sha1 = (data: string | Buffer): Buffer => createHash('sha1').update(data).digest()
  return `*${sha1(sha1(password)).toString('hex').toUpperCase()}`
}

/** Whether the text is what `mysql_native_password` keeps. */
export const isNativeHash = (text: string): boolean => /^\*[0-9A-F]{40}$/.test(text)

/** All that an application needs inside its database; nothing that reaches out of it. */
const PRIVILEGES = [
  'SELECT',
  'INSERT',
  'UPDATE',
  'DELETE',
  'CREATE',
  'DROP',
  'REFERENCES',
  'INDEX',
  'ALTER',
  'CREATE TEMPORARY TABLES',
  'LOCK TABLES',
  'EXECUTE',
  'CREATE VIEW',
  'SHOW VIEW',
  'CREATE ROUTINE',
  'ALTER ROUTINE',
  'EVENT',
  'TRIGGER',
].join(', ')

/**
 * One account's share of the server's connections, all of its users together: the
 * server counts per user, and with many users one account could take them all.
 */
const ACCOUNT_CONNECTIONS = 30

/** What each of an account's users may open; at least 1. */
export const connectionsPerUser = (users: number): number =>
  Math.max(1, Math.floor(ACCOUNT_CONNECTIONS / Math.max(1, users)))

/**
 * A forgotten statement ends after this: PHP gives up long before, and the server would go
 * on. A default of the session, which a long import may set otherwise.
 */
const STATEMENT_LIMIT_SECS = 600

const limits = (users: number): string =>
  `MAX_USER_CONNECTIONS ${connectionsPerUser(users)} MAX_STATEMENT_TIME ${STATEMENT_LIMIT_SECS}`

/** Sets the share of one user of an account that has `users` of them; running connections stay. */
export const shareStatement = (user: string, users: number): string =>
  `ALTER USER IF EXISTS ${localUser(user)} WITH ${limits(users)}`

const identified = (password: string): string =>
  `IDENTIFIED VIA mysql_native_password USING ${quotePlain(nativePasswordHash(password))}`

/** What somebody logs in with whose password the server keeps like this. 400 for any other text. */
export const viaHash = (hash: string): string => {
  if (!isNativeHash(hash)) throw invalid('password_hash', 'This is no password hash of MariaDB.')
  return `IDENTIFIED VIA mysql_native_password USING ${quotePlain(hash)}`
}

/** Connections from elsewhere, of all addresses of one user together. */
const REMOTE_CONNECTIONS = 20

/** What a user may open from each of `hosts` that he is let in from; at least 2, since tools open one more to look at the first. */
export const remoteLimits = (hosts: number): string =>
  `MAX_USER_CONNECTIONS ${Math.max(2, Math.floor(REMOTE_CONNECTIONS / Math.max(1, hosts)))} MAX_STATEMENT_TIME ${STATEMENT_LIMIT_SECS}`

/** Replaces the password; a lock and the limits stay. */
export const passwordStatement = (user: string, password: string): string =>
  `ALTER USER ${localUser(user)} ${identified(password)}`

/** Sets what the server keeps of a password; a lock and the limits stay. 400 for any other text. */
export const hashStatement = (user: string, hash: string): string =>
  `ALTER USER ${localUser(user)} ${viaHash(hash)}`

/** Makes a user without rights; one that is there is replaced. */
export const createUserStatement = (user: string, password: string): string =>
  `CREATE OR REPLACE USER ${localUser(user)} ${identified(password)} WITH ${limits(ACCOUNT_CONNECTIONS)}`

/** Statements that create a database with its user; each can be repeated. */
export const createStatements = (database: string, user: string, password: string): string[] => [
  `CREATE DATABASE IF NOT EXISTS ${quoteName(database)} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`,
  createUserStatement(user, password),
  `GRANT ${PRIVILEGES} ON ${grantPattern(database)}.* TO ${localUser(user)}`,
]

/** Gives a user a second password beside the one of `hash`; a lock and the limits stay. */
export const lendStatement = (user: string, hash: string, password: string): string =>
  `${hashStatement(user, hash)} OR mysql_native_password USING ${quotePlain(nativePasswordHash(password))}`

/** Leaves a user the password of `hash` alone. */
export const onlyStatement = (user: string, hash: string): string => hashStatement(user, hash)
