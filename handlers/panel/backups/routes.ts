import { z } from 'zod'
import { BACKUP_NAME } from '../../domain/backups/backup-name.ts'
import { parseHomePath } from '../../domain/files/home-path.ts'
import type { Services } from '../../services/services.ts'
import { numberText, text } from '../frame/fields.ts'
import { authorize } from '../access/policy.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { checkRecord } from './check-record.ts'
import { restoreBody, wishOf } from './restore-body.ts'
import {
  backupSchema,
  contentsSchema,
  contentsView,
  keptRestoreSchema,
  keptRestoreView,
  keptSettingsView,
  cleanupSchema,
  remoteTargetSchema,
  restoredBackupSchema,
  undoneRestoreSchema,
} from './schema.ts'
import { downloadHeaders } from '../frame/attachment.ts'

const DEFAULT_RETENTION_DAYS = 30

const params = z.object({ id: numberText('id') })
const fileParams = params.extend({
  filename: z.string().regex(BACKUP_NAME, 'filename is not the name of a backup.'),
})
const locationQuery = z.object({
  location: text('location', 32)
    .optional()
    .describe(
      '"local", or the name of a remote target. Default: the local copy, or where that is gone or damaged one at a target.',
    ),
})
const removeQuery = z.object({
  location: text('location', 32)
    .optional()
    .describe('"local", the name of a remote target, or "all". Default: the copy on this host.'),
})
const filters = {
  location: text('location', 32).optional().describe('Only copies there.'),
}
const createSchema = z.object({
  target: text('target', 32)
    .optional()
    .describe('Remote target for a copy; "local": none. Default: the default target, if any.'),
})
const cleanupBody = z.object({
  retention_days: z
    .int({ error: 'retention_days must be a whole number of days.' })
    .min(1, 'retention_days must be at least 1.')
    .max(3650, 'retention_days must be at most 3650.')
    .default(DEFAULT_RETENTION_DAYS),
})

const on = routesOf('Backups', { changes: 'develop' })
const NO_ACCOUNT = 'No such account.'
const NO_BACKUP = 'No such account or backup.'
const UNAVAILABLE =
  'A database server or remote target does not answer, or the host cannot do it at present.'

const ofAccount = ({ params: { id }, caller }: Call<{ id: number }>): void =>
  authorize(caller, 'account', id)

/** Backups of hosting accounts. */
export const backupRoutes = ({ backups, accounts, settingsRestores }: Services) => {
  const about = async ({ params: { id } }: Call<{ id: number }>) => ({
    subject: (await accounts.get(id)).username,
    accountId: id,
  })
  return [
    on.system.get('/api/backups/remote-targets', {
      summary: 'Remote targets',
      description:
        'Those set up here and those of [[remote_target]] in berth.toml, without their secrets.',
      data: z.array(remoteTargetSchema),
      errors: { 503: 'The host does not answer.' },
      handle: () => backups.targets(),
    }),
    on.system.post('/api/backups/cleanup', {
      summary: 'Removes old backups',
      description:
        'Removes what is older than retention_days, here and at remote targets. The newest backup of an account in each place stays, whatever its age, as long as the account exists.',
      body: cleanupBody,
      bodyOptional: true,
      strict: true,
      data: cleanupSchema,
      handle: ({ body }) => backups.cleanup(body.retention_days),
    }),
    on.manage.list('/api/backups', {
      summary: 'Lists the backups of all accounts',
      description:
        'Newest first, those of accounts that were deleted too. A reseller sees those of his accounts. A backup with a remote copy is listed once for each place.',
      sortable: ['filename', 'username', 'size_bytes', 'location', 'created_at'],
      filters,
      row: backupSchema,
      rows: (list) => backups.list(null, list),
    }),
    on.account.list('/api/backups/accounts/:id', {
      summary: 'Lists the backups of an account',
      description:
        'Newest first. A backup with a remote copy is listed once for each place. Backups of an account that was deleted are still listed by its id.',
      sortable: ['filename', 'size_bytes', 'location', 'created_at'],
      filters,
      params,
      row: backupSchema,
      errors: { 404: NO_ACCOUNT },
      before: ofAccount,
      rows: (list, { params: { id } }) => backups.list(id, list),
    }),
    on.account.post('/api/backups/accounts/:id', {
      summary: 'Makes a full backup',
      description:
        'The home and dumps of all databases in one archive, which is read back before it counts. Then it is copied to the remote target, if one is meant; when that fails the backup is kept on this host.',
      params,
      body: createSchema,
      bodyOptional: true,
      data: backupSchema,
      errors: {
        403: 'The account has as many backups as its plan allows: archives on this host and snapshots that were made by hand. Administrators may exceed it.',
        404: NO_ACCOUNT,
        409: 'The account is being created or deleted.',
        413: 'The home holds far more than its quota.',
        503: UNAVAILABLE,
      },
      before: ofAccount,
      job: {
        kind: 'backup.create',
        async about(call) {
          if (call.caller.role !== 'admin') await backups.assertRoom(call.params.id)
          return about(call)
        },
      },
      handle: ({ params: { id }, body, caller, report }) =>
        backups.create(id, body.target ?? null, report, caller.role !== 'admin'),
    }),
    on.account.post('/api/backups/accounts/:id/restore/:filename', {
      summary: 'Restores a backup',
      description:
        'Replaces files and databases by those of the backup, all of them or chosen ones. What was there before is kept for a day, so that it can be undone. If anything fails, what was there before is put back. Databases of the account that the backup does not hold stay as they are. Without location a copy that is gone, damaged or out of reach gives way to the next one; location of the answer is the one that served.',
      params: fileParams,
      query: locationQuery,
      body: restoreBody,
      bodyOptional: true,
      strict: true,
      data: restoredBackupSchema,
      errors: {
        403: 'Settings are restored by administrators alone.',
        404: NO_BACKUP,
        409: 'The account is not active, the archive or a dump is refused, or a database of it does not exist.',
        413: 'The archive does not fit into the quota.',
        503: UNAVAILABLE,
      },
      before: ofAccount,
      job: {
        kind: 'backup.restore',
        about(call) {
          wishOf(call.body, call.caller)
          return about(call)
        },
      },
      async handle({ params: { id, filename }, query, body, caller, report }) {
        const parts = wishOf(body, caller)
        const location = query.location ?? null
        if (parts !== 'settings')
          return {
            ...(await backups.restore(id, filename, { parts, location }, report)),
            notes: [],
          }
        const from = { accountId: id, filename, location }
        const done = await settingsRestores.restore(from, checkRecord, report)
        return { ...(await backups.copy(id, filename, done.location)), notes: done.notes }
      },
    }),
    on.account.get('/api/backups/accounts/:id/restores', {
      summary: 'Restores that can be undone',
      description:
        'What was there before the last restore of an account is kept for a day: old files in a hidden folder of the home, which its quota counts, and dumps of the databases. A later restore, or less than a tenth of the quota left free, ends that; lost tells why.',
      params,
      data: z.array(keptRestoreSchema),
      errors: { 404: NO_ACCOUNT, 503: UNAVAILABLE },
      before: ofAccount,
      async handle({ params: { id } }) {
        const settings = await settingsRestores.kept(id)
        const rows = (await backups.restores(id)).map(keptRestoreView)
        if (settings !== null) rows.push(keptSettingsView(settings))
        return rows.sort((a, b) => b.restored_at.localeCompare(a.restored_at))
      },
    }),
    on.account.post('/api/backups/accounts/:id/restores/:restore/undo', {
      summary: 'Undoes a restore',
      description:
        'Exchanges what the restore brought for what was there before it. That is a restore itself, and can be undone in its turn.',
      params: params.extend({
        restore: text('restore', 100).regex(/^[A-Za-z0-9._:-]+$/, 'restore is not the id of one.'),
      }),
      data: undoneRestoreSchema,
      errors: {
        403: 'A restore of settings is undone by administrators alone.',
        404: 'No such account or restore.',
        409: 'The account is not active, what was there is not kept any more, or a database of it does not exist.',
        503: UNAVAILABLE,
      },
      before: ofAccount,
      strict: true,
      job: { kind: 'backup.undo', about },
      async handle({ params: { id, restore }, caller, report }) {
        const settings = await settingsRestores.kept(id)
        if (settings?.id !== restore)
          return { ...keptRestoreView(await backups.undo(id, restore, report)), notes: [] }
        authorize(caller, 'system')
        const { kept, notes } = await settingsRestores.undo(id, restore, report)
        return { ...keptSettingsView(kept), notes }
      },
    }),
    on.account.get('/api/backups/accounts/:id/:filename/contents', {
      summary: 'What is in a folder of a backup',
      description:
        'By name. Names that are not valid UTF-8 are left out; they come back with the folder that they are in. A large archive is read once before the first answer, which may take a while.',
      params: fileParams,
      query: locationQuery.extend({
        path: text('path', 4095)
          .default('')
          .describe('Folder below the home; empty: the home itself.'),
        page: numberText('page', 10_000).optional().describe('Of 1,000 entries each, from 1.'),
      }),
      data: contentsSchema,
      errors: {
        404: 'No such account, backup or folder.',
        409: 'The archive is refused.',
        503: 'The archive is still being read, or a remote target does not answer.',
      },
      before: ofAccount,
      handle: async ({ params: { id, filename }, query }) =>
        contentsView(
          await backups.contents(id, filename, {
            location: query.location ?? null,
            directory: parseHomePath(query.path),
            offset: ((query.page ?? 1) - 1) * 1000,
          }),
        ),
    }),
    on.account.get('/api/backups/accounts/:id/:filename/download', {
      level: 'own',
      summary: 'Downloads a backup',
      params: fileParams,
      query: locationQuery,
      raw: { mediaTypes: ['application/gzip'], description: 'The archive.' },
      errors: { 404: NO_BACKUP, 503: UNAVAILABLE },
      before: ofAccount,
      async handle({ params: { id, filename }, query }) {
        const { backup, body } = await backups.download(id, filename, query.location ?? null)
        const headers = downloadHeaders(filename, 'application/gzip', backup.size_bytes)
        return new Response(body, { headers })
      },
    }),
    on.account.delete('/api/backups/accounts/:id/:filename', {
      level: 'own',
      summary: 'Deletes a backup',
      description:
        'The copy on this host alone: copies at remote targets stay unless location names them. 404 where there is no copy of that kind.',
      params: fileParams,
      query: removeQuery,
      data: z.object({
        filename: z.string(),
        deleted: z.literal(true),
        kept: z.array(z.string()).describe('Remote targets, or local, where copies are left.'),
      }),
      errors: { 404: NO_BACKUP, 503: UNAVAILABLE },
      before: ofAccount,
      async handle({ params: { id, filename }, query }) {
        const kept = await backups.remove(id, filename, query.location ?? null)
        return { filename, deleted: true as const, kept }
      },
    }),
  ]
}
