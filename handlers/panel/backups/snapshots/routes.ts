import { z } from 'zod'
import { userKey } from '../../access/caller.ts'
import { invalid } from '../../../errors.ts'
import type { SnapshotEntry } from '../../../ports/host/backups/snapshot-entry.ts'
import type { Services } from '../../../services/services.ts'
import { authorize } from '../../access/policy.ts'
import { downloadHeaders } from '../../frame/attachment.ts'
import { checkRecord } from '../check-record.ts'
import { restoreBody, wishOf } from '../restore-body.ts'
import { count } from '../../frame/common-schemas.ts'
import { text } from '../../frame/fields.ts'
import { leavingBody } from '../../frame/leaving-body.ts'
import { createOpenSlots } from '../../frame/open-slots.ts'
import type { Call } from '../../frame/route.ts'
import { routesOf } from '../../frame/routes-of.ts'
import { accountParams, browseQuery, createBody, downloadQuery, snapshotParams } from './fields.ts'
import { restoredSnapshotSchema, snapshotFolderSchema, snapshotSchema } from './schema.ts'

/** Of a folder, as many entries as the host tells at once. */
const PAGE = 1000

const on = routesOf('Snapshots', { changes: 'develop' })
const NO_ACCOUNT = 'No such account.'
const NO_SNAPSHOT = 'No such account or snapshot, or nothing there in it.'
const UNAVAILABLE =
  'The engine is not installed, a database server or remote target does not answer, or the host cannot do it at present.'
const ROOT = '/api/backups/snapshots'
const SORTABLE = ['location', 'size_bytes', 'added_bytes', 'created_at'] as const
const filters = { location: text('location', 32).optional().describe('Only those there.') }

/** Each is a process of the engine, with the index of a repository in memory. */
const MAX_READS = { ofUser: 3, all: 16 }
/** As many as the host takes; of one user few, since one may take as long as its reader likes. */
const MAX_DOWNLOADS = { ofUser: 2, all: 8 }
const tooMany = (what: string, { ofUser, all }: typeof MAX_READS): string =>
  `Too many ${what} at once: ${ofUser} by one user, ${all} by all.`

const ofAccount = ({ params: { id }, caller }: Call<{ id: number }>): void =>
  authorize(caller, 'account', id)

const entryView = ({ path, type, sizeBytes, mode, modifiedAt }: SnapshotEntry) => ({
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  type,
  size_bytes: sizeBytes,
  mode,
  modified_at: modifiedAt,
})

/** Incremental backups of accounts. */
export const snapshotRoutes = ({ snapshots, accounts, settingsRestores }: Services) => {
  const about = async ({ params: { id } }: Call<{ id: number }>) => ({
    subject: (await accounts.get(id)).username,
    accountId: id,
  })
  /** Also of an account that is gone. */
  const aboutSnapshot = async ({ params }: Call<{ id: number; snapshot: string }>) => ({
    subject: (await snapshots.get(params.id, params.snapshot)).username,
    accountId: params.id,
  })
  const reads = createOpenSlots(
    MAX_READS,
    'Too many snapshots are being looked into. Try again when the others are done.',
  )
  const downloads = createOpenSlots(
    MAX_DOWNLOADS,
    'Too much is being downloaded from snapshots. Try again when the others are done.',
  )
  return [
    on.account.get(`${ROOT}/engine`, {
      summary: 'Which engine makes snapshots',
      description: 'restic of the host, which reads and writes the repositories.',
      data: z.object({
        version: z.string().nullable().describe('Null: it is not installed.'),
      }),
      errors: { 503: 'The host does not answer.' },
      handle: () => snapshots.engine(),
    }),
    on.manage.list(ROOT, {
      summary: 'Lists the snapshots of all accounts',
      description:
        'Newest first, those of accounts that were deleted too. A reseller sees those of his accounts.',
      sortable: ['username', ...SORTABLE],
      filters,
      row: snapshotSchema,
      rows: (list) => snapshots.list(null, list),
    }),
    on.account.list(`${ROOT}/accounts/:id`, {
      summary: 'Lists the snapshots of an account',
      description:
        'Newest first. Snapshots of an account that was deleted are still listed by its id; a later account of the same name has another id and none of them.',
      sortable: SORTABLE,
      filters,
      params: accountParams,
      row: snapshotSchema,
      errors: { 404: NO_ACCOUNT },
      before: ofAccount,
      rows: (list, { params: { id } }) => snapshots.list(id, list),
    }),
    on.account.post(`${ROOT}/accounts/:id`, {
      summary: 'Makes a snapshot',
      description:
        "The home and dumps of all databases, encrypted and without what the repository holds already. It counts once the repository lists it with every dump. Snapshots that are made by hand count towards the plan's number of backups, wherever they are.",
      params: accountParams,
      body: createBody,
      bodyOptional: true,
      strict: true,
      data: snapshotSchema,
      errors: {
        403: 'The account has as many backups as its plan allows. Administrators may exceed it.',
        404: NO_ACCOUNT,
        409: 'The account is being created or deleted.',
        413: 'The home holds far more than its quota.',
        503: UNAVAILABLE,
      },
      before: ofAccount,
      job: {
        kind: 'snapshot.create',
        async about(call) {
          if (call.caller.role !== 'admin') await snapshots.assertRoom(call.params.id)
          return about(call)
        },
      },
      handle: ({ params: { id }, body, caller, report }) =>
        snapshots.create(id, body.target ?? null, { report, bounded: caller.role !== 'admin' }),
    }),
    on.account.post(`${ROOT}/accounts/:id/refresh`, {
      summary: 'Brings the list up to what the repositories hold',
      description:
        'Asks the repository of this host and those at the targets. Snapshots that the panel did not know, e.g. after records were lost, are taken in if they were made since the account is there.',
      params: accountParams,
      body: z.object({
        location: text('location', 32)
          .optional()
          .describe('"local", or a remote target. Default: all.'),
      }),
      bodyOptional: true,
      strict: true,
      data: z.object({
        added: count(),
        forgotten: count().describe('Records of snapshots that are gone.'),
      }),
      errors: { 404: NO_ACCOUNT, 503: `${UNAVAILABLE} Or a whole repository is missing.` },
      before: ofAccount,
      handle: ({ params: { id }, body }) => snapshots.refresh(id, body.location ?? null),
    }),
    on.account.get(`${ROOT}/accounts/:id/:snapshot/browse`, {
      summary: 'Lists a folder of a snapshot',
      params: snapshotParams,
      query: browseQuery,
      data: snapshotFolderSchema,
      errors: {
        404: NO_SNAPSHOT,
        429: tooMany('folders of snapshots', MAX_READS),
        503: UNAVAILABLE,
      },
      before: ofAccount,
      async around({ caller }, work) {
        const leave = reads.enter(userKey(caller))
        try {
          return await work()
        } finally {
          leave()
        }
      },
      async handle({ params: { id, snapshot }, query: { path, page = 1 } }) {
        const found = await snapshots.browse(id, snapshot, path, (page - 1) * PAGE)
        return { path, entries: found.entries.map(entryView), total: found.total }
      },
    }),
    on.account.get(`${ROOT}/accounts/:id/:snapshot/download`, {
      level: 'develop',
      summary: 'Downloads a file, a folder or a dump from a snapshot',
      params: snapshotParams,
      query: downloadQuery,
      raw: {
        mediaTypes: ['application/octet-stream'],
        description: 'The file, the folder as tar.gz, or the dump.',
      },
      errors: {
        404: NO_SNAPSHOT,
        429: tooMany('downloads', MAX_DOWNLOADS),
        503: UNAVAILABLE,
      },
      before: ofAccount,
      async handle({ params: { id, snapshot }, query: { path, database, engine }, caller }) {
        if (path !== undefined && database !== undefined)
          throw invalid('path', 'path: name either a path or a database.')
        const leave = downloads.enter(userKey(caller))
        const { filename, sizeBytes, body } = await snapshots
          .download(
            id,
            snapshot,
            database === undefined ? { path: path ?? '' } : { database, engine: engine ?? null },
          )
          .catch((error: unknown) => {
            leave()
            throw error
          })
        const headers = downloadHeaders(filename, 'application/octet-stream', sizeBytes)
        return new Response(leavingBody(body, leave), { headers })
      },
    }),
    on.account.post(`${ROOT}/accounts/:id/:snapshot/restore`, {
      summary: 'Restores from a snapshot',
      description:
        'Replaces what is named, all by default, by what the snapshot holds; the rest of the account stays as it is. What was there before is kept for a day, so that it can be undone. If anything fails, what was there before is put back. At the end the pages of the sites are purged.',
      params: snapshotParams,
      body: restoreBody,
      bodyOptional: true,
      strict: true,
      data: restoredSnapshotSchema,
      errors: {
        403: 'Settings are restored by administrators alone.',
        404: NO_SNAPSHOT,
        409: 'The account is not active, the snapshot or a dump is refused, or a database of it does not exist.',
        413: 'It does not fit into the quota.',
        503: UNAVAILABLE,
      },
      before: ofAccount,
      job: {
        kind: 'snapshot.restore',
        about(call) {
          wishOf(call.body, call.caller)
          return about(call)
        },
      },
      async handle({ params: { id, snapshot }, body, caller, report }) {
        const parts = wishOf(body, caller)
        if (parts !== 'settings')
          return { ...(await snapshots.restore(id, snapshot, parts, report)), notes: [] }
        const from = { accountId: id, snapshot }
        const { notes } = await settingsRestores.restore(from, checkRecord, report)
        return { ...(await snapshots.get(id, snapshot)), notes }
      },
    }),
    on.account.delete(`${ROOT}/accounts/:id/:snapshot`, {
      level: 'own',
      summary: 'Deletes a snapshot',
      description: 'And gives back the room that no other snapshot needs.',
      params: snapshotParams,
      data: z.object({ id: z.string(), deleted: z.literal(true) }),
      errors: {
        404: NO_SNAPSHOT,
        409: 'The target keeps what is there, e.g. by an object lock.',
        503: UNAVAILABLE,
      },
      before: ofAccount,
      job: { kind: 'snapshot.delete', about: aboutSnapshot },
      async handle({ params: { id, snapshot }, report }) {
        await snapshots.remove(id, snapshot, report)
        return { id: snapshot, deleted: true as const }
      },
    }),
  ]
}
