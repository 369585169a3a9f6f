import { z } from 'zod'
import { BACKUP_NAME } from '../../domain/backups/backup-name.ts'
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

const path = text('path').startsWith('/', 'path must be absolute.')

const choices = {
  path: path
    .optional()
    .describe('Of an archive on this host, in a directory that root alone can write to.'),
  account_id: id('account_id')
    .optional()
    .describe('Instead of path: an account, also one that is gone, that filename is a backup of.'),
  filename: text('filename', 64)
    .regex(BACKUP_NAME, 'filename is not the name of a backup.')
    .optional(),
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

const oneSource = (body: { path?: unknown; account_id?: unknown; filename?: unknown }): boolean =>
  body.path === undefined
    ? body.account_id !== undefined && body.filename !== undefined
    : body.account_id === undefined && body.filename === undefined
const ONE_SOURCE = 'Name either path, or account_id and filename.'

const inspectSchema = z.object(choices).refine(oneSource, ONE_SOURCE)
const importSchema = z
  .object({
    ...choices,
    password: newPassword('password')
      .optional()
      .describe('Of the account. Default: the one that it had, where the archive can be unsealed.'),
    unproved: flag('unproved')
      .default(false)
      .describe('Whether an archive is taken that no key of this host proves.'),
    sha256: text('sha256', 64)
      .optional()
      .describe('Of the archive as it was inspected; 409 when it is another one now.'),
  })
  .refine(oneSource, ONE_SOURCE)

const fromOf = (body: z.output<typeof inspectSchema>): ImportFrom =>
  body.path === undefined
    ? {
        accountId: body.account_id ?? 0,
        filename: body.filename ?? '',
        location: body.location ?? null,
      }
    : { path: body.path }

const subjectOf = ({ path, filename }: z.output<typeof inspectSchema>): string =>
  filename ?? path?.split('/').at(-1) ?? ''

const on = routesOf('Backups')
const NO_ARCHIVE = 'There is nothing at this path, or no such backup.'
const UNAVAILABLE = 'The host cannot do it at present; nothing is left half done.'

/** Archives that are brought in; for administrators alone. */
export const importRoutes = ({ imports }: Services): Route[] => [
  on.system.get('/api/backups/imports', {
    summary: 'Finds archives on the host',
    description: 'Those of a directory, or the one file. What is in one tells inspect.',
    query: z.object({ path: path.describe('Absolute, of a file or directory on this host.') }),
    data: z.array(foundSchema),
    errors: {
      404: NO_ARCHIVE,
      409: 'Others than root can write there, so they could exchange an archive.',
      503: UNAVAILABLE,
    },
    handle: async ({ query }) => (await imports.find(query.path)).map(foundView),
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
