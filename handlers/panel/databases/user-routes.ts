import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { changes, id, newPassword, oneOf, text } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'
import { camelCased } from '../frame/spelling.ts'
import { engine, engineQuery, params } from './params.ts'
import { databaseUserSchema } from './schema.ts'

const grants = z
  .array(
    z.object({
      database: text('databases').describe('The short or the full name.'),
      rights: oneOf('databases', ['read', 'write', 'all']).describe(
        'read: see what is in the tables; write: change that too, no table itself; all: make, change and remove tables too. In PostgreSQL what a user with all makes is the database’s own user’s, as whom he acts; in MariaDB he makes no views, routines, triggers and events.',
      ),
    }),
    { error: 'databases must be a list of databases with rights.' },
  )
  .min(1, 'databases: choose one at least that the user may use.')
  .max(200, 'databases: a user may have at most 200.')
  .describe('Of one engine.')

const name = text('name').describe('Without the prefix: 1-32 of a-z, 0-9 and _.')

const createSchema = z.object({
  account_id: id('account_id'),
  name,
  password: newPassword('password'),
  engine: engine
    .default('mysql')
    .describe('mysql and mariadb mean the same, and so do postgresql and postgres.'),
  databases: grants,
})

const userParams = params.extend({
  user: z.string().describe('The short or the full name.'),
})

const on = routesOf('Databases', { changes: 'develop' })
const NO_USER = 'No such account, user or database.'
const NOT_ACTIVE =
  'The account is not active, the name is taken, or two engines have a user of this name: say which with engine.'
const NO_ENGINE = 'The engine is not installed or does not run.'

/** Users of databases beside the one that each was made with. */
export const databaseUserRoutes = ({ databaseUsers }: Services) => [
  on.account.list('/api/database-users/:account_id', {
    summary: 'Lists the further users of the databases of an account',
    description:
      'Those beside the one that each database was made with, in the order in which they were made, unless sorted.',
    sortable: ['user', 'engine', 'databases', 'created_at'],
    filters: {
      engine: oneOf('engine', ['mariadb', 'mysql', 'postgresql'])
        .optional()
        .describe('Only users of this engine, as answers call it.'),
      database: z.string().optional().describe('Only users of the database of this full name.'),
    },
    params,
    row: databaseUserSchema,
    errors: { 404: 'No such account.' },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    rows: (list, { params }) => databaseUsers.list(params.account_id, list),
  }),
  on.account.post('/api/database-users', {
    waysIn: true,
    summary: 'Makes a further user of databases',
    description:
      'The name gets the prefix <username>_. The user has the rights that are given and no others; it goes with the last of its databases. How many an account may have is a limit of its plan, which an administrator may exceed.',
    body: createSchema,
    data: databaseUserSchema,
    errors: {
      403: 'The account has as many further users as its plan allows.',
      404: NO_USER,
      409: NOT_ACTIVE,
      503: NO_ENGINE,
    },
    async handle({ body, caller }) {
      authorize(caller, 'account', body.account_id)
      return databaseUsers.create({ ...camelCased(body), byAdministrator: caller.role === 'admin' })
    },
  }),
  on.account.patch('/api/database-users/:account_id/:user', {
    waysIn: true,
    summary: 'Changes rights, password or name of a further user',
    description:
      'What is left out stays. The list of databases replaces the one before. Connections end where a right is taken, and with a new name.',
    params: userParams,
    query: engineQuery,
    body: changes({
      name: name.optional(),
      password: newPassword('password').optional(),
      databases: grants.optional(),
    }),
    data: databaseUserSchema,
    errors: { 404: NO_USER, 409: NOT_ACTIVE, 503: NO_ENGINE },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    handle: ({ params: { account_id, user }, query, body }) =>
      databaseUsers.change(account_id, user, query.engine ?? null, body),
  }),
  on.account.delete('/api/database-users/:account_id/:user', {
    summary: 'Drops a further user',
    params: userParams,
    query: engineQuery,
    data: z.object({ user: z.string(), deleted: z.literal(true) }),
    errors: { 404: NO_USER, 409: NOT_ACTIVE, 503: NO_ENGINE },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    async handle({ params: { account_id, user }, query }) {
      await databaseUsers.remove(account_id, user, query.engine ?? null)
      return { user, deleted: true as const }
    },
  }),
]
