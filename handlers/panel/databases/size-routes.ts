import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { routesOf } from '../frame/routes-of.ts'
import { engineQuery, nameParams } from './params.ts'
import { sizeOfDaySchema } from './schema.ts'

const on = routesOf('Databases')

/** How large databases were. */
export const databaseSizeRoutes = ({ databaseSizes }: Services) => [
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
