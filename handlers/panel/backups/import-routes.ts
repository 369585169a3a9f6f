import { z } from 'zod'
import { isArchiveName } from '../../domain/backups/archive-name.ts'
import { BACKUP_NAME } from '../../domain/backups/backup-name.ts'
import { TARGET_PATTERNS } from '../../domain/backups/target-rules.ts'
import type { ImportFrom } from '../../services/backups/import/imports.ts'
import type { Services } from '../../services/services.ts'
import { flag, id, newPassword, text } from '../frame/fields.ts'
import type { Route } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { checkRecord } from './check-record.ts'
import {
  deletedAccountSchema,
  foundSchema,
  foundView,
  importedSchema,
  inspectedSchema,
  inspectedView,
} from './import-schema.ts'

const TARGET_NAME = [TARGET_PATTERNS.name[0], 'target is not the name of a target.'] as const
const path = text('path').startsWith('/', 'path must be absolute.')

const choices = {
  path: path
    .optional()
    .describe('Of an archive on this host, in a directory that root alone can write to.'),
  account_id: id('account_id')
    .optional()
    .describe('Instead of path: an account, also one that is gone, that filename is a backup of.'),
  target: text('target', 32)
    .regex(...TARGET_NAME)
    .optional()
    .describe('Instead of path and account_id: the remote target at which filename lies.'),
  filename: text('filename', 210)
    .refine(isArchiveName, 'filename is not the name of an archive.')
    .optional()
    .describe('With account_id the name of a backup, with target of any archive there.'),
  snapshot: text('snapshot', 64)
    .regex(/^[0-9a-f]{64}$/, 'snapshot must be the 64 digits of a snapshot.')
    .optional()
    .describe('With account_id instead of filename: one of its snapshots.'),
  location: text('location', 32)
    .optional()
    .describe('With filename: "local", or the name of a remote target. Default: any copy.'),
  username: text('username').optional().describe('Default: that of the archive.'),
  domain: text('domain')
    .optional()
    .describe('In place of the primary domain; names below it follow. Default: as it was.'),
  domains: z
    .record(text('domains', 253), text('domains', 253).nullable())
    .optional()
    .describe('New names of further domains by their old ones; null: the domain is left out.'),
  email: text('email', 254)
    .pipe(z.email('email must be an address such as name@example.com.'))
    .meta({ format: 'email' })
    .optional(),
  plan: text('plan', 32).optional().describe('Default: that of the archive, if it is here.'),
}

interface Source {
  path?: unknown
  account_id?: unknown
  target?: unknown
  filename?: string | undefined
  snapshot?: string | undefined
}
const oneSource = ({ path, account_id, target, filename, snapshot }: Source): boolean => {
  const named = [path, account_id, target].filter((one) => one !== undefined)
  const isOne = named.length === 1
  if (snapshot !== undefined) return isOne && account_id !== undefined && filename === undefined
  return isOne && (path === undefined) === (filename !== undefined)
}
const ONE_SOURCE = 'Name path, or account_id and filename or snapshot, or target and filename.'
const ownName = ({ account_id, filename }: Source): boolean =>
  account_id === undefined || filename === undefined || BACKUP_NAME.test(filename)
const OWN_NAME = { error: 'filename is not the name of a backup.', path: ['filename'] }

const inspectSchema = z.object(choices).refine(oneSource, ONE_SOURCE).refine(ownName, OWN_NAME)
const importSchema = z
  .object({
    ...choices,
    password: newPassword('password')
      .optional()
      .describe('Of the account. Default: the one that it had, where the archive can be unsealed.'),
    unproved: flag('unproved')
      .default(false)
      .describe('Whether an archive is taken that no key of this host proves.'),
    fix_configs: flag('fix_configs')
      .default(false)
      .describe(
        'Whether absolute paths of the home there, in known configuration files (wp-config.php, configuration.php, .user.ini, .env …) and in cron jobs, are pointed at the home here. Each file that is changed is kept below .before-import in the home, and told in notes.',
      ),
    sha256: text('sha256', 64)
      .optional()
      .describe('Of the archive as it was inspected; 409 when it is another one now.'),
  })
  .refine(oneSource, ONE_SOURCE)
  .refine(ownName, OWN_NAME)

const fromOf = (body: z.output<typeof inspectSchema>): ImportFrom => {
  const { path, target, account_id, filename = '', snapshot, location = null } = body
  if (path !== undefined) return { path }
  if (target !== undefined) return { target, filename }
  if (snapshot !== undefined) return { accountId: account_id ?? 0, snapshot }
  return { accountId: account_id ?? 0, filename, location }
}

const placeOf = ({
  path = '',
  target,
}: {
  path?: string | undefined
  target?: string | undefined
}) => (target === undefined ? { path } : { target })

const subjectOf = ({ path, filename, snapshot }: z.output<typeof inspectSchema>): string =>
  filename ?? snapshot?.slice(0, 10) ?? path?.split('/').at(-1) ?? ''

const on = routesOf('Backups')
const NO_ARCHIVE = 'There is nothing at this path, or no such backup.'
const UNAVAILABLE = 'The host cannot do it at present; nothing is left half done.'

/** Archives that are brought in; for administrators alone. */
export const importRoutes = ({ imports }: Services): Route[] => [
  on.system.get('/api/backups/imports', {
    summary: 'Finds archives on the host or at a target',
    description:
      'Those of a directory, or the one file; or all at a remote target, the first 10,000 by name. What is in one tells inspect.',
    query: z
      .object({
        path: path.optional().describe('Absolute, of a file or directory on this host.'),
        target: choices.target.describe('Instead: name of a remote target.'),
      })
      .refine((query) => (query.path === undefined) !== (query.target === undefined), {
        error: 'Name either path or target.',
        path: ['path'],
      }),
    data: z.array(foundSchema),
    errors: {
      404: NO_ARCHIVE,
      409: 'Others than root can write there, so they could exchange an archive.',
      503: UNAVAILABLE,
    },
    handle: async ({ query }) => (await imports.find(placeOf(query))).map(foundView),
  }),
  on.system.get('/api/backups/deleted-accounts', {
    summary: 'Accounts that are gone and have backups',
    description:
      'Each by the id that it had. Its backups are listed by that id, and imported with account_id and filename. A later account of the same name has another id and none of them.',
    data: z.array(deletedAccountSchema),
    handle: () => imports.deleted(),
  }),
  on.system.post('/api/backups/imports/inspect', {
    summary: 'Tells what is in an archive and what would collide',
    description:
      'Reads the archive from its first byte to its last and changes nothing. The choices are those of the import.',
    body: inspectSchema,
    strict: true,
    data: inspectedSchema,
    errors: {
      404: NO_ARCHIVE,
      409: 'The archive is refused.',
      413: 'The archive does not fit on the disk.',
      503: UNAVAILABLE,
    },
    job: {
      kind: 'backup.inspect',
      about: ({ body }) => ({ subject: subjectOf(body), accountId: null }),
    },
    handle: async ({ body, report }) =>
      inspectedView(await imports.inspect(fromOf(body), body, checkRecord, report)),
  }),
  on.system.post('/api/backups/imports', {
    summary: 'Makes an account of an archive',
    description:
      'Files, databases with their passwords, domains with their settings, certificates and the passwords of the account. Each value passes the checks that it would have to pass here. Where the number of the system user is free and the archive is proved, the account has it again. If a step fails, nothing is left. At the end the pages of its sites are purged. Archives of version 1 hold files and databases alone: then domain, email, plan and password are needed.',
    body: importSchema,
    strict: true,
    data: importedSchema,
    errors: {
      403: 'The licence allows no further account or domain.',
      404: NO_ARCHIVE,
      409: 'The archive is refused or unproved, or something of it collides; inspect tells what.',
      413: 'The archive does not fit into the quota.',
      503: UNAVAILABLE,
    },
    job: {
      kind: 'backup.import',
      about: ({ body }) => ({ subject: body.username ?? subjectOf(body), accountId: null }),
    },
    handle: async ({ body, report }) => imports.run(fromOf(body), body, checkRecord, report),
  }),
]
