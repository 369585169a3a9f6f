import { z } from 'zod'
import type { Services } from '../services/services.ts'
import { id, newPassword, oneOf, text } from './fields.ts'
import { check, readBody, readId } from './input.ts'
import { authorize } from './policy.ts'
import type { Route } from './route.ts'

const engine = oneOf('engine', ['mysql', 'mariadb', 'postgresql', 'postgres'])

const createSchema = z.object({
  account_id: id('account_id'),
  db_name: text('db_name'),
  db_user: text('db_user').optional(),
  db_password: newPassword('db_password'),
  engine: engine.default('mysql'),
})

const engineQuerySchema = z.object({ engine: engine.nullable() })

/** Databases of hosting accounts. */
export const databaseRoutes = ({ databases }: Services): Route[] => [
  {
    method: 'GET',
    path: '/api/databases/engines',
    action: 'self',
    handle: () => databases.engines(),
  },
  {
    method: 'GET',
    path: '/api/databases/:account_id',
    action: 'account',
    async handle({ params, caller }) {
      const accountId = readId(params['account_id'], 'account_id')
      authorize(caller, 'account', accountId)
      return databases.list(accountId)
    },
  },
  {
    method: 'POST',
    path: '/api/databases',
    action: 'account',
    async handle({ request, caller }) {
      const input = await readBody(request, createSchema)
      authorize(caller, 'account', input.account_id)
      return databases.create({
        accountId: input.account_id,
        dbName: input.db_name,
        dbUser: input.db_user,
        dbPassword: input.db_password,
        engine: input.engine,
      })
    },
  },
  {
    method: 'DELETE',
    path: '/api/databases/:account_id/:db_name',
    action: 'account',
    async handle({ params, query, caller }) {
      const accountId = readId(params['account_id'], 'account_id')
      authorize(caller, 'account', accountId)
      const asked = check(engineQuerySchema, { engine: query.get('engine') })
      const name = params['db_name'] ?? ''
      await databases.remove(accountId, name, asked.engine)
      return { database: name, deleted: true }
    },
  },
]
