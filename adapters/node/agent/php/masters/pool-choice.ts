import { createHash } from 'node:crypto'
import type { PhpMode } from '#handlers/ports/store/records.ts'
import type { PhpPool } from '#handlers/ports/host/web-server.ts'
import type { HostWithPhp } from '../hosts-with-php.ts'

/** Which of an account's masters a virtual host uses. */
export interface PoolChoice {
  version: string
  mode: PhpMode
  /** Null: the server's settings. */
  pool: PhpPool | null
}

/** The choice of a virtual host with PHP; `version` for one that names none. */
export const choiceOf = (php: NonNullable<HostWithPhp['php']>, version: string): PoolChoice => ({
  version: php.version ?? version,
  mode: php.mode,
  pool: php.pool ?? null,
})

const hashOf = (pool: PhpPool): string => {
  const sorted = Object.entries(pool.ini).sort(([a], [b]) => (a < b ? -1 : 1))
  const text = JSON.stringify([pool.maxChildren, pool.memoryLimit, sorted])
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}

/**
 * Name of the master: virtual hosts of one account with the same version, mode
 * and settings share one, any difference means another. `alice-8.2` is FPM with
 * the server's settings, `alice-8.2-cgi-0123456789ab` one with settings of its own.
 */
export const masterName = (username: string, { version, mode, pool }: PoolChoice): string =>
  [
    username,
    version,
    ...(mode === 'fpm' ? [] : [mode]),
    ...(pool === null ? [] : [hashOf(pool)]),
  ].join('-')

/** File name of the master's socket: short, because a socket's whole path may have 107 bytes only. */
export const socketName = (username: string, choice: PoolChoice): string => {
  const name = masterName(username, choice)
  if (name === `${username}-${choice.version}`) return name
  return `${username}-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
}

/** What a master's name says of its choice, beside the version. */
export const choiceInName = (name: string): { mode: PhpMode; ownSettings: boolean } => ({
  mode: name.includes('-lsapi') ? 'lsapi' : name.includes('-cgi') ? 'cgi' : 'fpm',
  ownSettings: /-[0-9a-f]{12}$/.test(name),
})

/** Whether `name` is a master's name, and whose. */
export const ownerOfName = (name: string): string | null =>
  /^([a-z0-9]+)-\d+\.\d+(?:-(?:cgi|lsapi))?(?:-[0-9a-f]{12})?$/.exec(name)?.[1] ?? null
