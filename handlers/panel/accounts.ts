import { z } from 'zod'
import { PLANS } from '../domain/plan.ts'
import { invalid } from '../errors.ts'
import type { Services } from '../services/services.ts'
import { megabytes, newPassword, oneOf, text } from './fields.ts'
import { readBody, readId } from './input.ts'
import { listResponse, readListQuery } from './list-query.ts'
import { authorize } from './policy.ts'
import type { Route } from './route.ts'

const EMAIL = z.email('email must be an address such as name@example.com.')

const createSchema = z.object({
  username: text('username'),
  domain: text('domain'),
  email: text('email', 254).pipe(EMAIL),
  password: newPassword('password'),
  plan: oneOf('plan', PLANS),
  disk_quota_mb: megabytes('disk_quota_mb').optional(),
  bandwidth_quota_mb: megabytes('bandwidth_quota_mb').optional(),
})

const suspendSchema = z.object({ reason: text('reason', 500).nullish() })

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

/** Hosting accounts. */
export const accountRoutes = ({ accounts }: Services): Route[] => [
  {
    method: 'GET',
    path: '/api/accounts',
    action: 'account',
    async handle({ query, caller }) {
      const list = readListQuery(query, SORTABLE)
      if (caller.accountId !== null) list.accountId = caller.accountId
      return listResponse(await accounts.list(list))
    },
  },
  {
    method: 'POST',
    path: '/api/accounts',
    action: 'system',
    async handle({ request }) {
      const { disk_quota_mb, bandwidth_quota_mb, ...input } = await readBody(request, createSchema)
      return accounts.create({
        ...input,
        diskQuotaMb: disk_quota_mb,
        bandwidthQuotaMb: bandwidth_quota_mb,
      })
    },
  },
  {
    method: 'GET',
    path: '/api/accounts/:id',
    action: 'account',
    async handle({ params, caller }) {
      const id = readId(params['id'], 'id')
      authorize(caller, 'account', id)
      return accounts.get(id)
    },
  },
  {
    method: 'DELETE',
    path: '/api/accounts/:id',
    action: 'system',
    async handle({ params, query }) {
      const id = readId(params['id'], 'id')
      const backup = query.get('backup')
      if (backup !== null && backup !== 'false') {
        throw invalid('backup', 'backup: a final backup is not available. Leave it out.')
      }
      await accounts.remove(id)
      return { id, deleted: true }
    },
  },
  {
    method: 'POST',
    path: '/api/accounts/:id/suspend',
    action: 'system',
    async handle({ params, request }) {
      const id = readId(params['id'], 'id')
      const { reason } = await readBody(request, suspendSchema, { optional: true })
      return accounts.suspend(id, reason ?? null)
    },
  },
  {
    method: 'POST',
    path: '/api/accounts/:id/unsuspend',
    action: 'system',
    async handle({ params }) {
      const id = readId(params['id'], 'id')
      return accounts.unsuspend(id)
    },
  },
]
