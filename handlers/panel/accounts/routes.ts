import { z } from 'zod'
import { forbidden, invalid } from '../../errors.ts'
import type { Services } from '../../services/services.ts'
import {
  changes,
  id as accountId,
  megabytes,
  newPassword,
  numberText,
  text,
} from '../frame/fields.ts'
import type { Caller } from '../access/caller.ts'
import { authorize } from '../access/policy.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { camelCased } from '../frame/spelling.ts'
import { accountSchema } from './schema.ts'
import { accountLimitsSchema } from './plan-schema.ts'
import { accountUseSchema } from './use-schema.ts'

const EMAIL = z.email('email must be an address such as name@example.com.')

const createSchema = z.object({
  username: text('username').describe(
    '3-16 ASCII letters and digits, not digits only; lower-cased.',
  ),
  domain: text('domain').describe('Primary domain.'),
  email: text('email', 254).pipe(EMAIL).meta({ format: 'email' }),
  password: newPassword('password'),
  plan: text('plan', 32).describe('Name of a plan; free, pro and business always exist.'),
  disk_quota_mb: megabytes('disk_quota_mb').optional().describe("Default: the plan's."),
  bandwidth_quota_mb: megabytes('bandwidth_quota_mb').optional().describe("Default: the plan's."),
  host: text('host', 63)
    .optional()
    .describe(
      'Name of the host that it shall be on, for administrators. Default: of those that are open, answer and have room, the one with the fewest accounts for its weight.',
    ),
  reseller_id: accountId('reseller_id')
    .optional()
    .describe("Whose account it shall be. Default: of a reseller who asks his own, else nobody's."),
})

const quotaChange = (field: 'disk_quota_mb' | 'bandwidth_quota_mb') =>
  megabytes(field).nullish().describe("Megabytes; null: the plan's. Default: as it is.")
const changeSchema = changes(
  {
    email: text('email', 254).pipe(EMAIL).meta({ format: 'email' }).optional(),
    plan: text('plan', 32)
      .optional()
      .describe('Quotas that were those of the plan follow it; others stay.'),
    disk_quota_mb: quotaChange('disk_quota_mb'),
    bandwidth_quota_mb: quotaChange('bandwidth_quota_mb'),
    password: newPassword('password').optional(),
    current_password: text('current_password', 1024)
      .optional()
      .describe("Of a user of role account that changes the account's password: the own."),
  },
  ['email', 'plan', 'disk_quota_mb', 'bandwidth_quota_mb', 'password'],
)

const suspendSchema = z.object({ reason: text('reason', 500).nullish() })

const removeQuery = z.object({
  backup: z
    .enum(['true', 'false'], { error: 'backup must be true or false.' })
    .optional()
    .describe(
      'Whether a last backup is made before. It stays when the account is gone. Default: false.',
    ),
})

const params = z.object({ id: numberText('id') })

/** Whose account a new one is. Throws 403 where a reseller names somebody else. */
const ownerOf = (caller: Caller, wanted: number | undefined) => {
  if (caller.role !== 'reseller') return { resellerId: wanted, withinPlan: false }
  if (wanted !== undefined && wanted !== caller.user.id) authorize(caller, 'system')
  return { resellerId: caller.user.id, withinPlan: true }
}
const managed = ({ params: { id }, caller }: Call<{ id: number }>): void =>
  authorize(caller, 'manage', id)

const on = routesOf('Accounts')
const NOT_FOUND = 'No such account.'
const UNAVAILABLE = 'The host cannot do it at present; nothing is left half done.'

/** Hosting accounts. */
export const accountRoutes = ({ accounts, backups, credentials, plans, accountUses }: Services) => [
  on.manage.post('/api/accounts', {
    summary: 'Creates an account',
    description:
      "Makes the system user, its home with public_html, the primary domain and its virtual host, and reloads the web server. Answers when the site is served. If a step fails, everything is undone. The plan gives quotas and limits, see GET /api/plans; quotas of its own override the plan's; a reseller may set them below, but not above it.",
    body: createSchema,
    data: accountSchema,
    errors: {
      403: 'The licence or the limits of the reseller allow no further account, domain or quota, or he may not give the plan.',
      409: 'The username or the domain is taken, or the host is closed to new accounts.',
      503: 'The host cannot do it at present, or none has room; nothing is left half done.',
    },
    job: {
      kind: 'account.create',
      async about({ body, caller }) {
        ownerOf(caller, body.reseller_id)
        if (body.host !== undefined) authorize(caller, 'system')
        await plans.assertIsThere(body.plan)
        return { subject: body.username, accountId: null }
      },
      recover: ({ subject }) => accounts.byName(subject),
    },
    handle({ body, caller, report }) {
      const { resellerId, withinPlan } = ownerOf(caller, body.reseller_id)
      if (body.host !== undefined) authorize(caller, 'system')
      return accounts.create({ ...camelCased(body), resellerId, withinPlan }, report)
    },
  }),
  on.account.get('/api/accounts/:id', {
    summary: 'One account',
    params,
    data: accountSchema,
    errors: { 404: NOT_FOUND },
    async handle({ params: { id }, caller }) {
      authorize(caller, 'account', id)
      return accounts.get(id)
    },
  }),
  on.account.get('/api/accounts/:id/limits', {
    summary: 'What the plan allows an account, and what it has of it',
    description:
      'The counts bind a user of role account; an administrator may exceed them, so used may be above limit. Of the domains of the licence one is kept for each account that it still allows: those only an administrator can use.',
    params,
    data: accountLimitsSchema,
    errors: { 404: NOT_FOUND },
    before: ({ params, caller }) => authorize(caller, 'account', params.id),
    handle: ({ params: { id } }) => plans.ofAccount(id),
  }),
  on.account.get('/api/accounts/:id/use', {
    summary: 'Processor, memory and tasks that the programs of an account used within a day',
    description:
      "As the kernel counts them, in steps of five minutes, since Berth was started: PHP, cron, sessions and what the panel runs for the account. `memory_ends` tells when the kernel ended programs because the account's memory was used up. Where accounts are not held together (see `account_limits` of GET /api/system/info) there are no points.",
    params,
    data: accountUseSchema,
    errors: { 404: NOT_FOUND, 503: 'The host does not answer.' },
    before: ({ params, caller }) => authorize(caller, 'account', params.id),
    handle: ({ params: { id } }) => accountUses.ofAccount(id),
  }),
  on.account.patch('/api/accounts/:id', {
    waysIn: true,
    summary: 'Changes an account',
    description:
      'A new password is that of the system user too, and ends all sessions and API tokens of the account. A user of role account may change its own email and, naming current_password, its password. Quotas hold from now on: what is above them stays.',
    params,
    body: changeSchema,
    data: accountSchema,
    errors: {
      403: 'A user of role account may not change this, current_password is wrong, or an API token would change a password.',
      404: NOT_FOUND,
      409: 'The account is being created or deleted.',
      429: 'Too many wrong passwords; Retry-After says for how many seconds.',
      503: UNAVAILABLE,
    },
    before: ({ params, caller }) => authorize(caller, 'account', params.id),
    async handle({ params: { id }, body, caller, clientAddress }) {
      const { current_password, ...change } = body
      const { email: _own, password, ...others } = change
      if (Object.values(others).some((value) => value !== undefined)) authorize(caller, 'manage')
      if (password !== undefined && caller.apiToken !== null)
        throw forbidden('API tokens cannot change passwords. Log in with a password and try again.')
      if (password !== undefined && caller.role === 'account') {
        if (current_password === undefined)
          throw invalid('current_password', 'current_password is required.')
        const proof = { password: current_password, field: 'current_password' }
        await credentials.confirmPassword(caller.user, { ...proof, address: clientAddress })
      }
      const byReseller = caller.role === 'reseller' ? caller.user.id : undefined
      return accounts.change(id, {
        ...camelCased(change),
        byReseller,
        bySelf: caller.role === 'account',
      })
    },
  }),
  on.manage.delete('/api/accounts/:id', {
    summary: 'Deletes an account',
    description:
      'Removes the system user, its home, PHP, domains, virtual hosts, databases and their users, and what the page cache has of it. If the backup fails, nothing is removed. On another host that does not answer it is accepted, and finished when that is back.',
    params,
    query: removeQuery,
    data: z.object({
      id: z.int(),
      deleted: z.literal(true),
      waits_for: z
        .string()
        .optional()
        .describe('The host that does not answer: what is on it goes when it is back.'),
    }),
    errors: { 404: NOT_FOUND, 409: 'The account is being created or deleted.', 503: UNAVAILABLE },
    before: managed,
    job: {
      kind: 'account.delete',
      about: async ({ params: { id } }) => ({
        subject: (await accounts.get(id)).username,
        accountId: id,
      }),
      recover: async ({ account_id: id }) => ({ id, deleted: true }),
    },
    async handle({ params: { id }, query, report }) {
      if (query.backup === 'true') await backups.final(id, report)
      const waits_for = await accounts.remove(id, { report })
      return { id, deleted: true as const, ...(waits_for === null ? {} : { waits_for }) }
    },
  }),
  on.manage.post('/api/accounts/:id/suspend', {
    summary: 'Suspends an account',
    description:
      'Everything of the account is closed: logins, processes, PHP, databases and cron. Its sites answer 503. Tokens of the account are void for good. On another host that does not answer it is accepted, and done when that is back.',
    params,
    body: suspendSchema,
    bodyOptional: true,
    data: accountSchema,
    errors: { 404: NOT_FOUND, 409: 'The account is not active.', 503: UNAVAILABLE },
    before: managed,
    handle: ({ params: { id }, body: { reason } }) => accounts.suspend(id, reason ?? null),
  }),
  on.manage.post('/api/accounts/:id/unsuspend', {
    summary: 'Lifts a suspension',
    description: 'Restores exactly the state before the suspension.',
    params,
    data: accountSchema,
    errors: { 404: NOT_FOUND, 409: 'The account is not suspended.', 503: UNAVAILABLE },
    before: managed,
    handle: ({ params: { id } }) => accounts.unsuspend(id),
  }),
]
