import { z } from 'zod'
import { PLANS } from '../domain/plan.ts'
import type { Services } from '../services/services.ts'
import { megabytes, newPassword, numberText, oneOf, text } from './fields.ts'
import { listRoute } from './list-route.ts'
import { authorize } from './policy.ts'
import type { Route } from './route.ts'
import { route } from './route.ts'
import { accountSchema } from './schemas/account.ts'

const EMAIL = z.email('email must be an address such as name@example.com.')

const createSchema = z.object({
  username: text('username').describe(
    '3-16 ASCII letters and digits, not digits only; lower-cased.',
  ),
  domain: text('domain').describe('Primary domain.'),
  email: text('email', 254).pipe(EMAIL).meta({ format: 'email' }),
  password: newPassword('password'),
  plan: oneOf('plan', PLANS),
  disk_quota_mb: megabytes('disk_quota_mb').optional().describe("Default: the plan's."),
  bandwidth_quota_mb: megabytes('bandwidth_quota_mb').optional().describe("Default: the plan's."),
})

const suspendSchema = z.object({ reason: text('reason', 500).nullish() })

const removeQuery = z.object({
  backup: z
    .enum(['false'], { error: 'backup: a final backup is not available. Leave it out.' })
    .optional(),
})

const params = z.object({ id: numberText('id') })

const SORTABLE = [
  'id',
  'username',
  'primary_domain',
  'email',
  'plan',
  'status',
  'disk_quota_mb',
  'disk_used_mb',
  'created_at',
] as const

const tag = 'Accounts'
const NOT_FOUND = 'No such account.'
const UNAVAILABLE = 'The host cannot do it at present; nothing is left half done.'

/** Hosting accounts. */
export const accountRoutes = ({ accounts }: Services): Route[] => [
  listRoute({
    path: '/api/accounts',
    action: 'account',
    tag,
    summary: 'Lists the accounts',
    description: 'A user of role account sees its own account alone.',
    sortable: SORTABLE,
    row: accountSchema,
    rows: (list) => accounts.list(list),
  }),
  route({
    method: 'POST',
    path: '/api/accounts',
    action: 'system',
    tag,
    summary: 'Creates an account',
    description:
      'Makes the system user, its home with public_html, the primary domain and its virtual host, and reloads the web server. Answers when the site is served. If a step fails, everything is undone. Quotas of the plans, disk / bandwidth in MB: free 500 / 10000, pro 5000 / 100000, business 50000 / 1000000.',
    body: createSchema,
    data: accountSchema,
    errors: {
      403: 'The licence allows no further account or domain.',
      409: 'The username or the domain is taken.',
      503: UNAVAILABLE,
    },
    handle: ({ body: { disk_quota_mb, bandwidth_quota_mb, ...input } }) =>
      accounts.create({
        ...input,
        diskQuotaMb: disk_quota_mb,
        bandwidthQuotaMb: bandwidth_quota_mb,
      }),
  }),
  route({
    method: 'GET',
    path: '/api/accounts/:id',
    action: 'account',
    tag,
    summary: 'One account',
    params,
    data: accountSchema,
    errors: { 404: NOT_FOUND },
    async handle({ params: { id }, caller }) {
      authorize(caller, 'account', id)
      return accounts.get(id)
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/accounts/:id',
    action: 'system',
    tag,
    summary: 'Deletes an account',
    description:
      'Removes the system user, its home, PHP, domains, virtual hosts, databases and their users, and what the page cache has of it.',
    params,
    query: removeQuery,
    data: z.object({ id: z.int(), deleted: z.literal(true) }),
    errors: { 404: NOT_FOUND, 409: 'The account is being created or deleted.', 503: UNAVAILABLE },
    async handle({ params: { id } }) {
      await accounts.remove(id)
      return { id, deleted: true as const }
    },
  }),
  route({
    method: 'POST',
    path: '/api/accounts/:id/suspend',
    action: 'system',
    tag,
    summary: 'Suspends an account',
    description:
      'Everything of the account is closed: logins, processes, PHP, databases and cron. Its sites answer 503. Tokens of the account are void for good.',
    params,
    body: suspendSchema,
    bodyOptional: true,
    data: accountSchema,
    errors: { 404: NOT_FOUND, 409: 'The account is not active.', 503: UNAVAILABLE },
    handle: ({ params: { id }, body: { reason } }) => accounts.suspend(id, reason ?? null),
  }),
  route({
    method: 'POST',
    path: '/api/accounts/:id/unsuspend',
    action: 'system',
    tag,
    summary: 'Lifts a suspension',
    description: 'Restores exactly the state before the suspension.',
    params,
    data: accountSchema,
    errors: { 404: NOT_FOUND, 409: 'The account is not suspended.', 503: UNAVAILABLE },
    handle: ({ params: { id } }) => accounts.unsuspend(id),
  }),
]
