import { z } from 'zod'
import { restoreParts, wantsSettings } from '../../domain/backups/restore-parts.ts'
import { MAX_RESTORE_PARTS } from '../../ports/host/backups/restore-parts.ts'
import type { RestoreParts } from '../../ports/host/backups/restore-parts.ts'
import type { Caller } from '../access/caller.ts'
import { authorize } from '../access/policy.ts'
import { oneOf, text } from '../frame/fields.ts'

/** What of a backup or snapshot is restored, as `restoreParts` takes it. */
export const restoreBody = z.object({
  what: oneOf('what', ['all', 'files', 'databases', 'settings'])
    .optional()
    .describe(
      'Default: all, i.e. files and databases. Not together with paths or databases. Settings, for administrators alone: domains with what they do, PHP, cron jobs, page cache and backup schedule as they were; passwords, plan and quotas stay.',
    ),
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

/** What is asked for; throws 403 for settings that no administrator asks for, 400 for what does not fit together. */
export const wishOf = (
  { what, ...named }: z.output<typeof restoreBody>,
  caller: Caller,
): RestoreParts | 'settings' => {
  if (what !== 'settings') return restoreParts({ what, ...named })
  wantsSettings({ what, ...named })
  authorize(caller, 'system')
  return 'settings'
}
