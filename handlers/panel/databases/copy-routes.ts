import { z } from 'zod'
import type { DatabaseExport } from '../../ports/host/database-copies.ts'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { oneOf, text } from '../frame/fields.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { engineQuery, nameParams, params } from './params.ts'
import { exportSchema, importedSchema } from './schema.ts'
import { downloadHeaders } from '../frame/attachment.ts'

const fileParams = params.extend({
  filename: text('filename', 200).describe('As the exports are listed; any other name is 404.'),
})
const exportBody = z.object({
  format: oneOf('format', ['sql', 'gz', 'zip'])
    .default('gz')
    .describe('Plain SQL, the same by gzip, or a zip archive with it.'),
})
const importBody = z.object({
  path: text('path', 4095).describe(
    "A file below the account's home: .sql, .sql.gz, a .zip with one .sql file, or of PostgreSQL one that pg_dump wrote in its own format. It is read as the account.",
  ),
  remove_file: z
    .boolean('remove_file must be true or false.')
    .default(false)
    .describe('Whether the file goes once it is imported.'),
})

const exportView = (one: DatabaseExport): z.output<typeof exportSchema> => ({
  filename: one.filename,
  engine: one.engine,
  database: one.database,
  size_bytes: one.sizeBytes,
  created_at: one.createdAt,
  until: one.until,
})

const on = routesOf('Databases', { changes: 'develop' })
const NO_DATABASE = 'No such account or database.'
const TWO = 'Two engines have a database of this name: say which with engine.'
const SERVER = 'The database server does not answer, or the host cannot do it at present.'

type Place = { account_id: number }
const ofAccount = ({ params: { account_id }, caller }: Call<Place>): void =>
  authorize(caller, 'account', account_id)

/** Export and import of one database. */
export const databaseCopyRoutes = ({ databaseCopies, accounts }: Services) => {
  const about = async ({ params }: Call<Place & { db_name: string }>) => ({
    subject: `${(await accounts.get(params.account_id)).username} ${params.db_name}`,
    accountId: params.account_id,
  })
  return [
    on.account.get('/api/databases/:account_id/exports', {
      summary: 'Exports that can be downloaded',
      description:
        'Newest first. An export is kept for a day, or until a newer one of the database is made; of an account five at most.',
      params,
      data: z.array(exportSchema),
      errors: { 404: 'No such account.', 503: SERVER },
      before: ofAccount,
      handle: async ({ params: { account_id } }) =>
        (await databaseCopies.exports(account_id)).map(exportView),
    }),
    on.account.get('/api/databases/:account_id/exports/:filename/download', {
      level: 'develop',
      summary: 'Downloads an export',
      params: fileParams,
      raw: { mediaTypes: ['application/octet-stream'], description: 'The dump.' },
      errors: { 404: 'No such account or export.', 503: SERVER },
      before: ofAccount,
      async handle({ params: { account_id, filename } }) {
        const { made, body } = await databaseCopies.download(account_id, filename)
        const { filename: name, sizeBytes } = made
        const headers = downloadHeaders(name, 'application/octet-stream', sizeBytes)
        return new Response(body, { headers })
      },
    }),
    on.account.delete('/api/databases/:account_id/exports/:filename', {
      summary: 'Deletes an export',
      params: fileParams,
      data: z.object({ filename: z.string(), deleted: z.literal(true) }),
      errors: { 404: 'No such account or export.', 503: SERVER },
      before: ofAccount,
      async handle({ params: { account_id, filename } }) {
        await databaseCopies.removeExport(account_id, filename)
        return { filename, deleted: true as const }
      },
    }),
    on.account.post('/api/databases/:account_id/:db_name/export', {
      summary: 'Exports a database',
      description:
        'All of it as SQL, made with the rights of its own user. The result is downloaded from the exports of the account.',
      params: nameParams,
      query: engineQuery,
      body: exportBody,
      bodyOptional: true,
      data: exportSchema,
      errors: {
        404: NO_DATABASE,
        409: TWO,
        413: 'The export is too large for what the disk has left.',
        503: SERVER,
      },
      before: ofAccount,
      job: { kind: 'database.export', about },
      handle: async ({ params: { account_id, db_name }, query, body, report }) =>
        exportView(
          await databaseCopies.export(
            { accountId: account_id, name: db_name, engine: query.engine ?? null },
            body.format,
            report,
          ),
        ),
    }),
    on.account.post('/api/databases/:account_id/:db_name/import', {
      summary: 'Imports a dump into a database',
      description:
        "Puts the dump in the place of all that the database holds. It runs as the database's own user: what it says of other databases, users or rights is refused. What was there before is put back when anything fails, and else kept for a day, so that it can be undone as a restore is; that ends what an earlier restore has kept.",
      params: nameParams,
      query: engineQuery,
      body: importBody,
      strict: true,
      data: importedSchema,
      errors: {
        403: 'The account itself may not read the file.',
        404: 'No such account, database or file.',
        409: `${TWO} Or the account is not active, or the dump is damaged or was refused by the server.`,
        413: 'The dump is too large for what the disk has left.',
        503: SERVER,
      },
      before: ofAccount,
      job: { kind: 'database.import', about },
      async handle({ params: { account_id, db_name }, query, body, report }) {
        const { row, kept } = await databaseCopies.import(
          { accountId: account_id, name: db_name, engine: query.engine ?? null },
          { path: body.path, removeFile: body.remove_file },
          report,
        )
        return {
          engine: row.engine,
          database: row.database_name,
          undo: kept === null ? null : { restore: kept.id, until: kept.until },
        }
      },
    }),
  ]
}
