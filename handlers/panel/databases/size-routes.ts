import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { routesOf } from '../frame/routes-of.ts'
import { engineQuery, nameParams } from './params.ts'
import { sizeOfDaySchema, slowQuerySchema } from './schema.ts'

const on = routesOf('Databases')

/** How large databases were, and what took long in them. */
export const databaseSizeRoutes = ({ databases, databaseSizes }: Services) => [
  on.account.get('/api/databases/:account_id/:db_name/slow-queries', {
    summary: 'What took long in a database',
    description:
      'Statements that took longer than two seconds, since the host was started, those first that took longest in sum; 200 of an account at most. The servers are looked at every two seconds, so those below four seconds may be missing. Values are not kept.',
    params: nameParams,
    query: engineQuery,
    data: z.array(slowQuerySchema),
    errors: {
      404: 'No such account or database.',
      409: 'Two engines have a database of this name: say which with engine.',
    },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    handle: ({ params: { account_id, db_name }, query }) =>
      databases.slowQueries(account_id, db_name, query.engine ?? null),
  }),
  on.account.get('/api/databases/:account_id/:db_name/sizes', {
    summary: 'How large a database was, day by day',
    description:
      'Noted once a day (UTC) and kept for 400 days, oldest first. Days on which the server did not answer are left out.',
    params: nameParams,
    query: engineQuery,
    data: z.array(sizeOfDaySchema),
    errors: {
      404: 'No such account or database.',
      409: 'Two engines have a database of this name: say which with engine.',
    },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    handle: ({ params: { account_id, db_name }, query }) =>
      databaseSizes.of(account_id, db_name, query.engine ?? null),
  }),
]
