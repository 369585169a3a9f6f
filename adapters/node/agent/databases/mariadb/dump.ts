import os from 'node:os'
import type { Readable } from 'node:stream'
import { outputOf } from '../../../process/stream-command.ts'

const MARIADB_DUMP = '/usr/bin/mariadb-dump'

/** `mariadb-dump` writes it when everything before went well. */
export const MARIADB_DUMP_END = /^-- Dump completed/m

/**
 * Tables, views, routines, triggers and events of a database (a checked name) as
 * they were at one moment (InnoDB), read over the socket by the administrator.
 */
export const dumpMariadb = (socket: string, database: string): Readable =>
  outputOf(MARIADB_DUMP, [
    '--no-defaults',
    `--socket=${socket}`,
    `--user=${process.getuid?.() === 0 ? 'root' : os.userInfo().username}`,
    '--default-character-set=utf8mb4',
    '--single-transaction',
    '--quick',
    '--routines',
    '--triggers',
    '--events',
    // Bytes that are no text survive every client.
    '--hex-blob',
    '--no-tablespaces',
    '--',
    database,
  ])
