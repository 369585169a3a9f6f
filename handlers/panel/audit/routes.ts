import { z } from 'zod'
import type { AuditRow } from '../../ports/store/records.ts'
import type { Services } from '../../services/services.ts'
import { moment, numberText, oneOf, text } from '../frame/fields.ts'
import { given } from '../frame/given.ts'
import { counted, listFields, toListQuery, TOTAL_COUNT } from '../frame/list-declaration.ts'
import { authorize, reachOf } from '../access/policy.ts'
import { routesOf } from '../frame/routes-of.ts'
import { named, recordId, role, timestamp } from '../frame/common-schemas.ts'

const RESULTS = ['done', 'denied', 'failed'] as const

export const entrySchema = named('AuditEntry', {
  id: recordId(),
  at: timestamp(),
  actor: z.string().nullable().describe('Null: nobody that the panel knows.'),
  role: role().nullable(),
  via: z
    .string()
    .nullable()
    .describe(
      'The administrator who works as the account, or "token" and the name of an API token.',
    ),
  action: z.string().describe('Method and route.'),
  summary: z.string().describe('The same in words.'),
  target: z
    .string()
    .describe(
      'What it concerned, as name=value: ids, what was sent, and the names of account, site, user or token that the ids led to. Never a secret.',
    ),
  address: z.string().describe('Where the request came from.'),
  status: z.int().describe('HTTP status of the answer.'),
  result: z.enum(RESULTS).describe('denied: refused with 4xx; failed: 5xx.'),
})

const querySchema = listFields(['id', 'at', 'actor', 'action', 'status']).extend({
  actor: text('actor', 64).optional().describe('Only entries of this user.'),
  account_id: numberText('account_id')
    .optional()
    .describe('Only what the user of this account did and what was done to the account.'),
  result: oneOf('result', RESULTS).optional().describe('Only entries with this result.'),
  from: moment('from').optional().describe('Only entries from then on.'),
  until: moment('until').optional().describe('Only entries before then.'),
})

/** The same for whom it concerns: nothing of where others come from, or of what else they named. */
export const activitySchema = named('AccountActivity', {
  ...entrySchema.pick({ id: true, at: true, actor: true, role: true, summary: true, result: true })
    .shape,
  target: z
    .string()
    .describe("As in the audit log, of the account's own requests; '' of an administrator's."),
})

const activityView = (entry: AuditRow): z.output<typeof activitySchema> => {
  const { id, at, actor, role, summary, result } = entry
  const isOwn = role === 'account' && entry.via === null
  return { id, at, actor, role, summary, result, target: isOwn ? entry.target : '' }
}

const whole = ({ reseller_id: _, ...entry }: AuditRow): z.output<typeof entrySchema> => entry

/** Where administrators come from, also those who work as an account, is not a reseller's to know. */
const forReseller = (entry: AuditRow, reseller: string): z.output<typeof entrySchema> => {
  const { role, via } = entry
  if (via === reseller) return whole(entry)
  const byOthers =
    role === 'admin' || (via !== null && role === 'account' && !via.startsWith('token '))
  return byOthers ? { ...whole(entry), address: '', target: '' } : whole(entry)
}

const on = routesOf('Audit')

/** Who did what. */
export const auditRoutes = ({ accounts, audit }: Services) => [
  on.account.list('/api/accounts/:id/activity', {
    summary: 'What was done to an account, and by its user',
    description:
      'The entries of the audit log that concern the account, newest first; see GET /api/audit for what is kept.',
    params: z.object({ id: numberText('id') }),
    sortable: ['id', 'at'],
    row: activitySchema,
    errors: { 404: 'No such account.' },
    before: ({ params, caller }) => authorize(caller, 'account', params.id),
    async rows(list, { params: { id } }) {
      const about = await accounts.nameOf(id)
      const { rows, total } = await audit.list({ ...list, about, shownTo: 'account' })
      return { rows: rows.map(activityView), total }
    },
  }),
  on.manage.get('/api/audit', {
    summary: 'The audit log',
    description:
      'Every request of a known user that changes something, and every failed login, newest first; without paging the newest 1000. Kept for 90 days, 50000 entries each of administrators, of accounts and of nobody known, and beyond that the newest 100 of every administrator and account. Attempts that the login throttle turns away are not in it. A reseller sees what he did, and what concerned his accounts while they were his; of administrators neither address nor what else they named.',
    query: querySchema,
    data: z.array(entrySchema),
    headers: TOTAL_COUNT,
    errors: { 404: 'Of a reseller: it is none of his accounts.' },
    before({ query: { account_id }, caller }) {
      if (account_id !== undefined) authorize(caller, 'manage', account_id)
    },
    async handle({ query: { account_id, actor, result, from, until, ...list }, caller }) {
      const about = account_id === undefined ? undefined : await accounts.nameOf(account_id)
      const { resellerId } = reachOf(caller)
      const shownTo = resellerId === undefined ? undefined : { reseller: caller.username }
      const filters = given({ actor, about, result, from, until, resellerId, shownTo })
      const { rows, total } = await audit.list({ ...toListQuery(list), ...filters })
      return counted({
        rows: rows.map((row) =>
          resellerId === undefined ? whole(row) : forReseller(row, caller.username),
        ),
        total,
      })
    },
  }),
]
