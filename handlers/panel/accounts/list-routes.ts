import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { oneOf, text } from '../frame/fields.ts'
import { authorize } from '../access/policy.ts'
import { routesOf } from '../frame/routes-of.ts'
import { ACCOUNT_STATUSES, accountSchema, accountTotalsSchema } from './schema.ts'

const filters = {
  username: text('username', 64).optional().describe('Only the account of exactly this name.'),
  status: oneOf('status', ACCOUNT_STATUSES).optional().describe('Only accounts of this status.'),
  host: text('host', 63).optional().describe('Only accounts on the host of this name.'),
  plan: text('plan', 32).optional().describe('Only accounts of the plan of this name.'),
  reseller: text('reseller', 16)
    .regex(/^(none|[1-9]\d{0,15})$/, 'reseller must be the id of one, or none.')
    .optional()
    .describe('Only accounts of the reseller with this id; none: of no reseller.'),
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
    description: 'A user of role account sees its own account alone, a reseller his accounts.',
    sortable: [
      'id',
      'username',
      'primary_domain',
      'email',
      'plan',
      'status',
      'reseller_id',
      'disk_quota_mb',
      'disk_used_mb',
      'bandwidth_used_mb',
      'created_at',
    ],
    filters,
    row: accountSchema,
    rows: (list) => accounts.list(list),
  }),
  on.manage.get('/api/accounts/totals', {
    summary: 'What several accounts have together',
    description: 'E.g. to say before a deletion what goes with them. Unknown ids count nothing.',
    query: z.object({ ids: idList }),
    data: accountTotalsSchema,
    errors: { 404: 'Of a reseller: one is none of his accounts.' },
    before({ query: { ids }, caller }) {
      for (const one of ids.split(',')) authorize(caller, 'manage', Number(one))
    },
    handle: ({ query: { ids } }) => accounts.totals(ids.split(',').map(Number)),
  }),
]
