import { z } from 'zod'
import { MAX_RESTORE_PARTS } from '../../ports/host/backups/restore-parts.ts'
import { oneOf, text } from '../frame/fields.ts'

/** What of a backup or snapshot is restored, as `restoreParts` takes it. */
export const restoreBody = z.object({
  what: oneOf('what', ['all', 'files', 'databases'])
    .optional()
    .describe('Default: all. Not together with paths or databases.'),
  paths: z
    .array(text('paths', 4095))
    .max(MAX_RESTORE_PARTS, `paths may name at most ${MAX_RESTORE_PARTS} things.`)
    .optional()
    .describe(
      'Files and folders below the home, of which a folder stands for all that is in it. What lies there now gives way.',
    ),
  databases: z
    .array(
      z.object({
        engine: oneOf('engine', ['mariadb', 'mysql', 'postgresql']),
        database: text('database', 64),
      }),
    )
    .max(MAX_RESTORE_PARTS, `databases may name at most ${MAX_RESTORE_PARTS} things.`)
    .optional(),
})
