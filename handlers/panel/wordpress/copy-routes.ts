import { z } from 'zod'
import { invalid } from '../../errors.ts'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { flag, id, numberText, text } from '../frame/fields.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { wordpressDirectory, wordpressFolder } from './fields.ts'
import { copiedWordpressSchema, pushedWordpressSchema, wordpressTablesSchema } from './schema.ts'

const params = z.object({ account_id: numberText('account_id') })
const copyBody = z.object({
  path: wordpressFolder(),
  domain: text('domain', 253).describe('A site of the account; one that is not there is made.'),
  directory: wordpressDirectory(),
  document_root: text('document_root', 8192)
    .optional()
    .describe(
      "Of a domain that is made: absolute path inside the account's home. Default: a folder of the home that is called as the domain.",
    ),
  db_name: text('db_name', 64)
    .optional()
    .describe('Without the prefix: 1-32 of a-z, 0-9 and _. Default: a free one.'),
  wildcard: flag('wildcard')
    .default(false)
    .describe(
      'Of a network whose sites have names of their own: one wildcard domain for all of them instead of one for each (50 at most).',
    ),
})
const cloneBody = copyBody.extend({
  to_account_id: id('to_account_id').describe('Whose the clone becomes.'),
})
const pushBody = z.object({
  path: wordpressFolder(),
  files: flag('files').default(true).describe('Whether files go back.'),
  database: flag('database').default(true).describe('Whether tables go back.'),
  tables: z
    .array(text('tables', 64), { error: 'tables must be a list of names.' })
    .min(1, 'tables must name a table; to push none, set database to false.')
    .max(2000, 'tables must be 2000 names at most.')
    .optional()
    .describe('Which tables. Default: all of the copy.'),
  with_bound: flag('with_bound')
    .default(false)
    .describe('Whether tables that foreign keys bind to those of tables go along.'),
})

const on = routesOf('WordPress', { changes: 'develop' })
const ofAccount = ({ params, caller }: Call<{ account_id: number }>): void =>
  authorize(caller, 'account', params.account_id)
const SILENT = 'A site does not answer or refuses, or the account is not active.'
const copyErrors = {
  403: 'The account has as many databases or domains as its plan allows.',
  404: 'No such account, or no WordPress in that folder.',
  409: `The folder of the copy is not empty, the domain is taken, or it did not come up. ${SILENT}`,
  413: 'The account has no room for it.',
  503: 'MariaDB is not installed or does not run, PHP has no command line, or the host does not answer.',
}

/** Copies of a WordPress: for trying things out, back again, and for other accounts. */
export const wordpressCopyRoutes = ({ wordpress, accounts }: Services) => {
  const about = async ({ params: { account_id } }: Call<{ account_id: number }>) => ({
    subject: (await accounts.get(account_id)).username,
    accountId: account_id,
  })
  const wantedOf = (body: z.output<typeof copyBody>, isAdmin: boolean) => ({
    ...{ domain: body.domain, directory: body.directory, documentRoot: body.document_root },
    ...{ dbName: body.db_name, wildcard: body.wildcard, byAdministrator: isAdmin },
  })
  return [
    on.account.post('/api/wordpress/:account_id/staging', {
      summary: 'Makes a staging copy of a WordPress',
      description:
        'On another domain of the account, which is made where it is not there: files as the account, a database with a user of its own, keys of its own, and the address replaced in its tables, also within what PHP has serialised. Search engines are asked to stay away, and WordPress sends no mail there. Caches and other installations below its folder are left out. Sites of a network that have names of their own get names below the domain of the copy, which are made as further names of it. All or nothing.',
      params,
      body: copyBody,
      strict: true,
      data: copiedWordpressSchema,
      errors: copyErrors,
      before: ofAccount,
      job: { kind: 'wordpress.staging', about },
      handle: ({ params: { account_id }, body, caller, report }) =>
        wordpress.copy(
          account_id,
          body.path,
          {
            ...wantedOf(body, caller.role === 'admin'),
            ...{ accountId: account_id, staging: true },
          },
          report,
        ),
    }),
    on.account.post('/api/wordpress/:account_id/clone', {
      summary: 'Clones a WordPress to a domain of another account',
      description:
        'For whoever may change both accounts: administrators, and their reseller. The files become those of the other account, which gets a database and keys of its own; neither account reads the other, nor learns its secrets. The address is replaced, and names of a network as in staging copies. All or nothing.',
      params,
      body: cloneBody,
      strict: true,
      data: copiedWordpressSchema,
      errors: copyErrors,
      before: ofAccount,
      job: {
        kind: 'wordpress.clone',
        about(call) {
          authorize(call.caller, 'account', call.body.to_account_id)
          return about(call)
        },
      },
      handle({ params: { account_id }, body, caller, report }) {
        authorize(caller, 'account', body.to_account_id)
        return wordpress.copy(
          account_id,
          body.path,
          {
            ...wantedOf(body, caller.role === 'admin'),
            ...{ accountId: body.to_account_id, staging: false },
          },
          report,
        )
      },
    }),
    on.account.get('/api/wordpress/:account_id/tables', {
      summary: 'Tables of a WordPress',
      description: 'As its database has them; none of its plugins is run for it.',
      params,
      query: z.object({ path: wordpressFolder() }),
      data: wordpressTablesSchema,
      errors: { 404: copyErrors[404], 409: SILENT, 503: copyErrors[503] },
      before: ofAccount,
      handle: ({ params, query }) => wordpress.tables(params.account_id, query.path),
    }),
    on.account.post('/api/wordpress/:account_id/push', {
      summary: 'Pushes a staging copy back into its site',
      description:
        'Files, tables, or both, after a snapshot of the account (a backup where there are no snapshots). The site keeps its wp-config.php, .htaccess, address, keys and visibility, and uploads that the copy lacks; of the folders that go back, else nothing is kept. Tables are exchanged at one moment, and those that foreign keys bind go together. Where the front page fails afterwards all of it is put back. The pages of the site are made new.',
      params,
      body: pushBody,
      strict: true,
      data: pushedWordpressSchema,
      errors: {
        403: 'The account has as many backups as its plan allows.',
        404: `${copyErrors[404]} Or the site of which it is a copy is gone.`,
        409: `It is no staging copy, or the site failed and was put back. ${SILENT}`,
        413: copyErrors[413],
        503: copyErrors[503],
      },
      before: ofAccount,
      job: { kind: 'wordpress.push', about },
      handle: ({ params, body, caller, report }) => {
        const { path, files, database, tables, with_bound: withBound } = body
        if (!files && !database)
          throw invalid('files', 'files or database must be true: else nothing is pushed.')
        if (!database && tables !== undefined)
          throw invalid('tables', 'tables go back only where database is true.')
        const wanted = { files, tables: database ? (tables ?? null) : [], withBound }
        const bounded = caller.role !== 'admin'
        return wordpress.push(params.account_id, path, { ...wanted, bounded }, report)
      },
    }),
  ]
}
