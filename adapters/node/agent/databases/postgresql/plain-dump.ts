import type { CommandError } from '../../../process/run-command.ts'
import { asUser } from '../../../process/as-user.ts'
import { filtered } from './filter-command.ts'
import { RESTORE_TIMES } from '../restore-times.ts'
import type { PostgresqlServer } from './server.ts'

/** A table of contents is held in memory, and whoever wrote the dump chose its length. */
const LIMITS = { processes: 200, memoryMb: 512 }

/** What `pg_restore` said of a dump that it refuses, in one line of plain text. */
export const refusedDump = ({ stderr }: CommandError): string =>
  (stderr.split('\n')[0] ?? '').replace(/[^ -~]/g, '?').slice(0, 200)

/**
 * A dump in an archive format of `pg_dump` (`-Fc`, `-Ft`) as the SQL text that `pg_dump` would
 * have written, without owners and rights: what is restored of it has the protections of any
 * dump, since nothing of it has reached a server. The file is hostile, so it is read as nobody.
 * Null where PostgreSQL is not installed; `CommandError` for a file that `pg_restore` refuses.
 */
export const plainPostgresqlDump = (
  server: Pick<PostgresqlServer, 'programs'>,
  dump: AsyncIterable<Buffer>,
): AsyncIterable<Buffer> | null => {
  const programs = server.programs()
  if (programs === null) return null
  const { program, args } = asUser(
    process.getuid?.() === 0 ? { uid: 65534, gid: 65534, groups: 'none' } : null,
    `${programs}/pg_restore`,
    [
      '--no-owner',
      '--no-privileges',
      '--no-tablespaces',
      '--no-publications',
      '--no-subscriptions',
      '--no-security-labels',
      // Those on what belongs to the server, e.g. the language plpgsql, would be refused.
      '--no-comments',
      '--exit-on-error',
      '--file=-',
    ],
    { dieWithParent: true, limited: LIMITS },
  )
  return filtered(program, args, dump, { limitMs: RESTORE_TIMES.limitMs })
}
