import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { id, newPassword, oneOf, text } from '../frame/fields.ts'
import { authorize } from '../access/policy.ts'
import { routesOf } from '../frame/routes-of.ts'
import { camelCased } from '../frame/spelling.ts'
import type { PanelDeps } from '../deps.ts'
import { databaseToolRoutes } from './tool-routes.ts'
import { databaseSizeRoutes } from './size-routes.ts'
import { databaseAddressRoutes } from './address-routes.ts'
import { databaseUserRoutes } from './user-routes.ts'
import { databaseCopyRoutes } from './copy-routes.ts'
import { engine, engineQuery, nameParams, params } from './params.ts'
import {
  createdDatabaseSchema,
  databaseSchema,
  engineSchema,
  listedDatabaseSchema,
  remoteSchema,
} from './schema.ts'

const createSchema = z.object({
  account_id: id('account_id'),
  db_name: text('db_name').describe('Without the prefix: 1-32 of a-z, 0-9 and _.'),
  db_user: text('db_user').optional().describe('Without the prefix. Default: db_name.'),
  db_password: newPassword('db_password'),
  engine: engine
    .default('mysql')
    .describe('mysql and mariadb mean the same, and so do postgresql and postgres.'),
})

const changeSchema = z
  .object({
    db_password: newPassword('db_password').optional(),
    db_user: text('db_user')
      .optional()
      .describe('New name of the user, without the prefix: 1-32 of a-z, 0-9 and _.'),
  })
  .refine(({ db_password, db_user }) => db_password !== undefined || db_user !== undefined, {
    path: ['db_password'],
    message: 'db_password or db_user is required.',
  })

const filters = {
  engine: oneOf('engine', ['mariadb', 'mysql', 'postgresql'])
    .optional()
    .describe('Only databases of this engine, as answers call it.'),
}

const on = routesOf('Databases', { changes: 'develop' })
const NOT_FOUND = 'No such account.'

const ownRoutes = ({ databases, databaseUsers, databaseAddresses }: Services) => [
  on.self.get('/api/databases/engines', {
    summary: 'Installed database servers',
    description:
      'Asking starts a server of ours that has not been needed before, so the first answer may say that it does not run yet.',
    data: z.array(engineSchema),
    errors: { 503: 'The host does not answer.' },
    handle: () => databases.engines(),
  }),
  on.self.get('/api/databases/remote', {
    summary: 'How databases are reached from other machines',
    description:
      'Off unless an administrator turns it on for a server ([databases] mariadb_remote and postgresql_remote). Over TLS alone, with the certificate that is told here: that of the panel’s name, or one of Berth’s own, which clients know by the file and fingerprint that are told.',
    data: remoteSchema,
    errors: { 503: 'The host does not answer.' },
    handle: () => databaseAddresses.state(),
  }),
  on.manage.list('/api/databases', {
    summary: 'Lists the databases of all accounts',
    description:
      'A reseller sees those of his accounts. In the order in which they were made, unless sorted. No server is asked: the list of one account has sizes of this moment.',
    sortable: ['database', 'user', 'engine', 'username', 'size_bytes', 'created_at'],
    filters,
    row: listedDatabaseSchema,
    rows: (list) => databases.listAll(list),
  }),
  on.account.list('/api/databases/:account_id', {
    summary: 'Lists the databases of an account',
    description: 'In the order in which they were made, unless sorted.',
    sortable: ['database', 'user', 'engine', 'size_bytes', 'tables', 'created_at'],
    filters,
    params,
    row: databaseSchema,
    errors: { 404: NOT_FOUND },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    rows: (list, { params }) => databases.list(params.account_id, list),
  }),
  on.account.post('/api/databases', {
    summary: 'Creates a database with its own user',
    description:
      'Both names get the prefix <username>_. The user has rights on this database and on nothing else. The answer names the engine that serves it: mysql and mariadb, postgresql and postgres are two words for one. How many an account may have is a limit of its plan, which an administrator may exceed.',
    body: createSchema,
    data: createdDatabaseSchema,
    errors: {
      403: 'The account has as many databases as its plan allows.',
      404: NOT_FOUND,
      409: 'The database or its user exists already, or the account is not active.',
      503: 'The engine is not installed or does not run.',
    },
    async handle({ body, caller }) {
      authorize(caller, 'account', body.account_id)
      return databases.create({ ...camelCased(body), byAdministrator: caller.role === 'admin' })
    },
  }),
  on.account.patch('/api/databases/:account_id/:db_name', {
    waysIn: true,
    summary: "Changes the password or the name of a database's user",
    description:
      'With a new password connections that are open stay open, with a new name they end. Applications that log in need what is changed.',
    params: nameParams,
    query: engineQuery,
    body: changeSchema,
    data: createdDatabaseSchema,
    errors: {
      404: 'No such account or database.',
      409: 'Two engines have a database of this name: say which with engine. Or the account is not active, the name is taken, or MariaDB keeps it as that of who made a view, routine, trigger or event.',
      503: 'The engine is not installed or does not run.',
    },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    async handle({ params: { account_id, db_name }, query, body }) {
      const name = [account_id, db_name, query.engine ?? null] as const
      const { db_user, db_password } = body
      if (db_user !== undefined) await databaseUsers.renameOwner(...name, db_user)
      return db_password === undefined
        ? databases.find(...name)
        : databases.setPassword(...name, db_password)
    },
  }),
  on.account.delete('/api/databases/:account_id/:db_name', {
    level: 'own',
    summary: 'Drops a database and its user',
    params: nameParams,
    query: engineQuery,
    data: z.object({ database: z.string(), deleted: z.literal(true) }),
    errors: {
      404: 'No such account or database.',
      409: 'Two engines have a database of this name: say which with engine.',
      503: 'The engine does not run.',
    },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    async handle({ params: { account_id, db_name }, query }) {
      await databases.remove(account_id, db_name, query.engine ?? null)
      return { database: db_name, deleted: true as const }
    },
  }),
]

/** Databases of hosting accounts. */
export const databaseRoutes = (deps: Pick<PanelDeps, 'databaseTool'>, services: Services) => [
  ...ownRoutes(services),
  ...databaseUserRoutes(services),
  ...databaseAddressRoutes(services),
  ...databaseSizeRoutes(services),
  ...databaseCopyRoutes(services),
  ...databaseToolRoutes(deps, services),
]
