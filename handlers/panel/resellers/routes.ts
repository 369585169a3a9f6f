import { z } from 'zod'
import { RESELLER_LIMITS } from '../../domain/accounts/reseller-limits.ts'
import { notFound } from '../../errors.ts'
import type { ResellerLimit } from '../../ports/store/access/reseller-store.ts'
import type { Services } from '../../services/services.ts'
import { accountSchema } from '../accounts/schema.ts'
import {
  adminName,
  changes,
  flag,
  id as idField,
  newPassword,
  numberText,
  oneOf,
  text,
} from '../frame/fields.ts'
import { given } from '../frame/given.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { RESELLER_STATUSES, resellerSchema } from './schema.ts'

const limit = (field: ResellerLimit) => {
  const [least, most] = RESELLER_LIMITS[field]
  return z
    .int({ error: `${field} must be a whole number, or null for no limit.` })
    .min(least, `${field} must be at least ${least}.`)
    .max(most, `${field} must be at most ${most}.`)
    .nullable()
}

const limits = {
  accounts_limit: limit('accounts_limit'),
  domains_limit: limit('domains_limit').describe('Of all his accounts together, of every type.'),
  databases_limit: limit('databases_limit'),
  disk_limit_mb: limit('disk_limit_mb').describe(
    "What he may promise: the sum of his accounts' quotas.",
  ),
  bandwidth_limit_mb: limit('bandwidth_limit_mb').describe('As disk_limit_mb, for a month.'),
}
const planNames = z
  .array(text('plans', 32), { error: 'plans must be a list of names.' })
  .max(1000, 'plans must be at most 1000.')
  .describe('Names of the plans that he may give. Quotas of his accounts are theirs at most.')

const createSchema = z.object({
  username: adminName('username'),
  password: newPassword('password'),
  plans: planNames.default([]),
  accounts_limit: limits.accounts_limit.default(null),
  domains_limit: limits.domains_limit.default(null),
  databases_limit: limits.databases_limit.default(null),
  disk_limit_mb: limits.disk_limit_mb.default(null),
  bandwidth_limit_mb: limits.bandwidth_limit_mb.default(null),
})

const updateSchema = changes({
  username: adminName('username').optional(),
  password: newPassword('password')
    .optional()
    .describe('Ends every session, API token and passkey of the reseller.'),
  plans: planNames.optional(),
  ...z.object(limits).partial().shape,
  second_factor: z
    .literal(false, { error: 'second_factor can only be set to false.' })
    .optional()
    .describe('Takes the second factor off.'),
})

const suspendSchema = z.object({
  reason: text('reason', 500).nullish(),
  with_accounts: flag('with_accounts')
    .default(false)
    .describe('Whether his accounts that are active are suspended too.'),
})

const removeQuery = z.object({
  accounts_to: text('accounts_to', 16)
    .regex(/^(none|[1-9]\d{0,15})$/, 'accounts_to must be the id of a reseller, or none.')
    .optional()
    .describe("Id of the reseller who gets his accounts; none: they are no reseller's then."),
})

const params = z.object({ id: numberText('id') })
const on = routesOf('Resellers')
const NOT_FOUND = 'No such reseller.'
const TAKEN = 'The username is taken by another user of the panel.'
const UNAVAILABLE = 'The host cannot do it at present; it is tried again.'

/** Resellers, who have accounts of their own within limits. */
export const resellerRoutes = ({ resellers, accounts }: Services) => {
  const about = async ({ params: { id } }: Call<{ id: number }>) => ({
    subject: (await resellers.get(id)).username,
    accountId: null,
  })
  return [
    on.system.list('/api/resellers', {
      summary: 'Lists the resellers',
      sortable: ['id', 'username', 'status', 'accounts', 'disk_promised_mb', 'created_at'],
      filters: {
        status: oneOf('status', RESELLER_STATUSES).optional().describe('Only of this status.'),
      },
      row: resellerSchema,
      rows: (list) => resellers.list(list),
    }),
    on.manage.get('/api/resellers/me', {
      summary: 'The reseller who asks',
      description: 'With his limits and what his accounts have of them.',
      data: resellerSchema,
      errors: { 404: 'Who asks is no reseller.' },
      async handle({ caller }) {
        if (caller.role !== 'reseller')
          throw notFound('This is for resellers, and you are none. List the resellers instead.')
        return resellers.get(caller.user.id)
      },
    }),
    on.system.post('/api/resellers', {
      ownSession: true,
      summary: 'Creates a reseller',
      description:
        'A user of the panel who makes accounts and manages these, within his limits. The limits of the licence stay over all.',
      body: createSchema,
      data: resellerSchema,
      errors: { 409: TAKEN },
      handle({ body: { username, password, plans, ...rest } }) {
        return resellers.create({ username, password, plans, limits: rest })
      },
    }),
    on.system.get('/api/resellers/:id', {
      summary: 'One reseller',
      params,
      data: resellerSchema,
      errors: { 404: NOT_FOUND },
      handle: ({ params: { id } }) => resellers.get(id),
    }),
    on.system.patch('/api/resellers/:id', {
      ownSession: true,
      summary: 'Changes a reseller',
      description: 'Limits hold from now on: what his accounts have above them stays.',
      params,
      body: updateSchema,
      data: resellerSchema,
      errors: { 404: NOT_FOUND, 409: TAKEN },
      handle({ params: { id }, body: { username, password, plans, second_factor, ...rest } }) {
        const change = { username, password, plans, secondFactor: second_factor }
        return resellers.update(id, { ...change, limits: given(rest) })
      },
    }),
    on.system.post('/api/resellers/:id/suspend', {
      summary: 'Suspends a reseller',
      description:
        'His sessions, API tokens and visits to accounts end. His accounts go on unless with_accounts is true; then those that are active are suspended with him, and opened again with him.',
      params,
      body: suspendSchema,
      bodyOptional: true,
      strict: true,
      data: resellerSchema,
      errors: { 404: NOT_FOUND, 409: 'He is not active.', 503: UNAVAILABLE },
      job: { kind: 'reseller.suspend', about },
      handle: ({ params: { id }, body: { reason, with_accounts }, report }) =>
        resellers.suspend(id, { reason: reason ?? null, withAccounts: with_accounts }, report),
    }),
    on.system.post('/api/resellers/:id/unsuspend', {
      summary: 'Lifts the suspension of a reseller',
      description:
        'Accounts that were suspended with him are opened; those that were suspended for themselves stay so.',
      params,
      data: resellerSchema,
      errors: { 404: NOT_FOUND, 409: 'He is not suspended.', 503: UNAVAILABLE },
      job: { kind: 'reseller.unsuspend', about },
      handle: ({ params: { id }, report }) => resellers.unsuspend(id, report),
    }),
    on.system.delete('/api/resellers/:id', {
      ownSession: true,
      summary: 'Deletes a reseller',
      description: 'With sessions, API tokens and passkeys. His accounts go to accounts_to.',
      params,
      query: removeQuery,
      data: z.object({ id: z.int(), deleted: z.literal(true) }),
      errors: {
        403: 'Who gets the accounts may not have so much, or not their plans.',
        404: NOT_FOUND,
        409: 'He has accounts, and accounts_to is missing; or who would get them is suspended.',
      },
      async handle({ params: { id }, query: { accounts_to: to } }) {
        await resellers.remove(id, to === undefined ? undefined : to === 'none' ? null : Number(to))
        return { id, deleted: true as const }
      },
    }),
    on.system.post('/api/accounts/:id/move', {
      summary: 'Gives an account to another reseller, or to none',
      description:
        'Within the limits and plans of who gets it. Sessions, API tokens and open invitations of the account end. One that was suspended together with the reseller before stays suspended, and is opened for itself.',
      params,
      body: z.object({
        reseller_id: idField('reseller_id').nullable().describe('Who gets it; null: no reseller.'),
      }),
      strict: true,
      data: accountSchema,
      errors: {
        403: 'The reseller may not have so much, or not the plan.',
        404: 'No such account.',
        409: 'The account is being made or deleted, or the reseller is suspended.',
      },
      async handle({ params: { id }, body: { reseller_id } }) {
        await resellers.move(id, reseller_id)
        return accounts.get(id)
      },
    }),
  ]
}
