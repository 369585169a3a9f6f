import { lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import type { Log } from '#handlers/ports/log.ts'

/** Where MySQL's clients look for `localhost` unless they are told: PHP's command line, cron jobs, mysql. */
export const MARIADB_DEFAULT = '/run/mysqld/mysqld.sock'
/** Where PostgreSQL's look when no host is named. */
export const POSTGRESQL_DEFAULT = '/run/postgresql/.s.PGSQL.5432'

const ANSWER_MS = 1000

/** Whether something accepts connections at a socket, followed through links. */
const isAnswered = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const connection = net.connect(socket)
    const end = (answered: boolean): void => {
      connection.destroy()
      resolve(answered)
    }
    connection.setTimeout(ANSWER_MS, () => end(false))
    connection.once('connect', () => end(true))
    connection.once('error', () => end(false))
  })

const pointsTo = (place: string): string | null => {
  try {
    return lstatSync(place).isSymbolicLink() ? readlinkSync(place) : ''
  } catch {
    return null
  }
}

/**
 * Lets a server of ours be found where clients look by default, so that
 * `localhost` means it to the programs of an account too, which read no settings of
 * ours. The place of a server that answers is left alone; a server that is started
 * there later takes it back by itself. Never rejects: sites do not need it.
 */
export const openDefaultSocket = async (place: string, socket: string, log: Log): Promise<void> => {
  try {
    const now = pointsTo(place)
    if (now === socket) return
    if (now !== null && (await isAnswered(place))) {
      log.info('another server has the default socket', { place })
      return
    }
    mkdirSync(path.dirname(place), { recursive: true, mode: 0o755 })
    const fresh = `${place}.berth-${process.pid}`
    rmSync(fresh, { force: true })
    symlinkSync(socket, fresh)
    // Replaces a dead socket in one step, and never follows what lies there.
    renameSync(fresh, place)
  } catch (error) {
    log.warn('the default socket cannot be offered', { place, error: String(error) })
  }
}

/** Takes back what `openDefaultSocket` put there. */
export const closeDefaultSocket = (place: string, socket: string): void => {
  if (pointsTo(place) === socket) rmSync(place, { force: true })
}
