import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { megabytes, text } from '../frame/fields.ts'
import type { Route } from '../frame/route.ts'
import { route } from '../frame/route.ts'
import { planSchema } from './plan-schema.ts'

const number = (field: string, least: number, most: number) =>
  z
    .int({
      error: (issue) =>
        `${field} ${issue.input === undefined ? 'is required.' : 'must be a whole number.'}`,
    })
    .min(least, `${field} must be at least ${least}.`)
    .max(most, `${field} must be at most ${most}.`)

const limits = {
  disk_quota_mb: megabytes('disk_quota_mb'),
  bandwidth_quota_mb: megabytes('bandwidth_quota_mb'),
  domains_limit: number('domains_limit', 1, 1_000_000).describe(
    'Of every type, the primary domain among them.',
  ),
  databases_limit: number('databases_limit', 0, 1_000_000),
  tokens_limit: number('tokens_limit', 0, 100),
  backups_limit: number('backups_limit', 0, 10_000).describe(
    'Copies on this host that the schedule did not make.',
  ),
  processes_limit: number('processes_limit', 25, 10_000).describe(
    "Processes and threads of the account's programs. Fewer would keep PHP from starting.",
  ),
  memory_limit_mb: number('memory_limit_mb', 128, 1_000_000),
}

const createSchema = z.object({
  name: text('name', 64).describe('2-32 of a-z, 0-9, - and _, a letter first; lower-cased.'),
  ...limits,
})
const changeSchema = z
  .object(limits)
  .partial()
  .refine(
    (fields) => Object.values(fields).some((value) => value !== undefined),
    `Nothing to change: name at least one of ${Object.keys(limits).join(', ')}.`,
  )

const params = z.object({ name: z.string().describe('Name of the plan.') })
const tag = 'Plans'
const NOT_FOUND = 'No such plan.'

/** Hosting plans. */
export const planRoutes = ({ plans }: Services): Route[] => [
  route({
    method: 'GET',
    path: '/api/plans',
    action: 'system',
    tag,
    summary: 'Lists the plans',
    description: 'Smallest disk quota first.',
    data: z.array(planSchema),
    handle: () => plans.list(),
  }),
  route({
    method: 'GET',
    path: '/api/plans/:name',
    action: 'system',
    tag,
    summary: 'One plan',
    params,
    data: planSchema,
    errors: { 404: NOT_FOUND },
    handle: ({ params: { name } }) => plans.get(name),
  }),
  route({
    method: 'POST',
    path: '/api/plans',
    action: 'system',
    tag,
    summary: 'Makes a plan',
    description: 'Accounts can have it from then on.',
    body: createSchema,
    data: planSchema,
    errors: { 409: 'There is a plan of that name.' },
    handle: ({ body: { name, ...given } }) => plans.create(name, given),
  }),
  route({
    method: 'PATCH',
    path: '/api/plans/:name',
    action: 'system',
    tag,
    summary: 'Changes the limits of a plan',
    description:
      'They hold for all its accounts from then on, and what an account has above them stays. Quotas of accounts that were those of the plan follow it, others stay. The host is told account by account after the answer; PHP that runs is replaced then.',
    params,
    body: changeSchema,
    data: planSchema,
    errors: { 404: NOT_FOUND },
    handle: ({ params: { name }, body }) =>
      plans.change(
        name,
        Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
      ),
  }),
  route({
    method: 'DELETE',
    path: '/api/plans/:name',
    action: 'system',
    tag,
    summary: 'Deletes a plan',
    params,
    data: z.object({ name: z.string(), deleted: z.literal(true) }),
    errors: { 404: NOT_FOUND, 409: 'Accounts have it, or it is free, pro or business.' },
    async handle({ params: { name } }) {
      await plans.remove(name)
      return { name, deleted: true as const }
    },
  }),
]
