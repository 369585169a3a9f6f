import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { oneOf, text } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'
import { ACCOUNT_STATUSES, accountSchema, accountTotalsSchema } from './schema.ts'

const filters = {
  username: text('username', 64).optional().describe('Only the account of exactly this name.'),
  status: oneOf('status', ACCOUNT_STATUSES).optional().describe('Only accounts of this status.'),
  plan: text('plan', 32).optional().describe('Only accounts of the plan of this name.'),
  above_plan: oneOf('above_plan', ['true', 'false'])
    .optional()
    .describe("Only accounts of which a quota is, or none is, larger than the plan's."),
}

const MAX_IDS = 500
const idList = text('ids', MAX_IDS * 17)
  .regex(/^[1-9]\d{0,15}(,[1-9]\d{0,15})*$/, 'ids must be ids of accounts, e.g. 1,2,3.')
  .refine((value) => value.split(',').length <= MAX_IDS, `ids must be at most ${MAX_IDS}.`)
  .describe(`Ids, separated by commas; at most ${MAX_IDS}.`)

const on = routesOf('Accounts')

/** Hosting accounts in numbers. */
export const accountListRoutes = ({ accounts }: Services) => [
  on.account.list('/api/accounts', {
    summary: 'Lists the accounts',
    description: 'A user of role account sees its own account alone.',
    sortable: [
      'id',
      'username',
      'primary_domain',
      'email',
      'plan',
      'status',
      'disk_quota_mb',
      'disk_used_mb',
      'bandwidth_used_mb',
      'created_at',
    ],
    filters,
    row: accountSchema,
    rows: (list) => accounts.list(list),
  }),
  on.system.get('/api/accounts/totals', {
    summary: 'What several accounts have together',
    description: 'E.g. to say before a deletion what goes with them. Unknown ids count nothing.',
    query: z.object({ ids: idList }),
    data: accountTotalsSchema,
    handle: ({ query: { ids } }) => accounts.totals(ids.split(',').map(Number)),
  }),
]
