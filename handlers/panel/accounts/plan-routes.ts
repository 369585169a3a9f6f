import { z, type ZodType } from 'zod'
import { LATER_LIMITS, PLAN_LIMITS, type PlanLimit } from '../../domain/accounts/plan-limits.ts'
import type { Services } from '../../services/services.ts'
import { changes, megabytes, text } from '../frame/fields.ts'
import { reachOf } from '../access/policy.ts'
import { given } from '../frame/given.ts'
import { routesOf } from '../frame/routes-of.ts'
import { planSchema } from './plan-schema.ts'

const limit = (field: PlanLimit) => {
  const [least, most] = PLAN_LIMITS[field]
  return z
    .int({
      error: (issue) =>
        `${field} ${issue.input === undefined ? 'is required.' : 'must be a whole number.'}`,
    })
    .min(least, `${field} must be at least ${least}.`)
    .max(most, `${field} must be at most ${most}.`)
}

const limits = {
  disk_quota_mb: megabytes('disk_quota_mb'),
  bandwidth_quota_mb: megabytes('bandwidth_quota_mb'),
  domains_limit: limit('domains_limit').describe('Of every type, the primary domain among them.'),
  databases_limit: limit('databases_limit'),
  database_users_limit: limit('database_users_limit').describe(
    'Beside the one that each database is made with.',
  ),
  tokens_limit: limit('tokens_limit'),
  backups_limit: limit('backups_limit').describe(
    'Copies on this host that the schedule did not make.',
  ),
  cron_jobs_limit: limit('cron_jobs_limit'),
  ssh_keys_limit: limit('ssh_keys_limit').describe('Keys that open the account over SFTP.'),
  mails_per_hour_limit: limit('mails_per_hour_limit').describe(
    'Mails in an hour, counted by recipients; in 24 hours ten times as many.',
  ),
  people_limit: limit('people_limit').describe(
    "Persons beside the account's own login, open invitations among them.",
  ),
  sftp_users_limit: limit('sftp_users_limit').describe('Users for one folder each.'),
  database_addresses_limit: limit('database_addresses_limit').describe(
    'Addresses and blocks from which its databases may be reached.',
  ),
  applications_limit: limit('applications_limit').describe(
    'Programs behind the web server that go on running.',
  ),
  shells_limit: limit('shells_limit').describe(
    '1: its accounts may be given a shell, which an administrator or their reseller says of each; 0: none may.',
  ),
  processes_limit: limit('processes_limit').describe(
    "Processes and threads of the account's programs. Fewer would keep PHP from starting.",
  ),
  memory_limit_mb: limit('memory_limit_mb').describe('Megabytes of one process.'),
  memory_total_mb: limit('memory_total_mb').describe(
    'Megabytes of all processes together; 0: no limit. Where it is reached, the kernel ends one of them.',
  ),
  cpu_weight: limit('cpu_weight').describe(
    'Part of the processor where it is short: an account of 200 gets twice what one of 100 gets.',
  ),
  cpu_percent: limit('cpu_percent').describe(
    'Of one processor, also where others idle; 0: no limit.',
  ),
  io_weight: limit('io_weight').describe(
    "Part of the disk's time where it is short, as `cpu_weight`.",
  ),
} satisfies Record<PlanLimit, ZodType>

const createSchema = z.object({
  name: text('name', 64).describe('2-32 of a-z, 0-9, - and _, a letter first; lower-cased.'),
  ...limits,
  cron_jobs_limit: limits.cron_jobs_limit.default(LATER_LIMITS.cron_jobs_limit),
  database_users_limit: limits.database_users_limit.default(LATER_LIMITS.database_users_limit),
  ssh_keys_limit: limits.ssh_keys_limit.default(LATER_LIMITS.ssh_keys_limit),
  mails_per_hour_limit: limits.mails_per_hour_limit.default(LATER_LIMITS.mails_per_hour_limit),
  people_limit: limits.people_limit.default(LATER_LIMITS.people_limit),
  sftp_users_limit: limits.sftp_users_limit.default(LATER_LIMITS.sftp_users_limit),
  database_addresses_limit: limits.database_addresses_limit.default(
    LATER_LIMITS.database_addresses_limit,
  ),
  applications_limit: limits.applications_limit.default(LATER_LIMITS.applications_limit),
  shells_limit: limits.shells_limit.default(LATER_LIMITS.shells_limit),
  memory_total_mb: limits.memory_total_mb.default(LATER_LIMITS.memory_total_mb),
  cpu_weight: limits.cpu_weight.default(LATER_LIMITS.cpu_weight),
  cpu_percent: limits.cpu_percent.default(LATER_LIMITS.cpu_percent),
  io_weight: limits.io_weight.default(LATER_LIMITS.io_weight),
})
const changeSchema = changes(z.object(limits).partial().shape)

const params = z.object({ name: z.string().describe('Name of the plan.') })
const on = routesOf('Plans')
const NOT_FOUND = 'No such plan.'

/** Hosting plans. */
export const planRoutes = ({ plans }: Services) => [
  on.manage.get('/api/plans', {
    summary: 'Lists the plans',
    description: 'Smallest disk quota first. A reseller sees those that he may give.',
    data: z.array(planSchema),
    handle: ({ caller }) => plans.list(reachOf(caller).resellerId),
  }),
  on.manage.get('/api/plans/:name', {
    summary: 'One plan',
    params,
    data: planSchema,
    errors: { 404: NOT_FOUND },
    handle: ({ params: { name }, caller }) => plans.get(name, reachOf(caller).resellerId),
  }),
  on.system.post('/api/plans', {
    summary: 'Makes a plan',
    description: 'Accounts can have it from then on.',
    body: createSchema,
    data: planSchema,
    errors: { 409: 'There is a plan of that name.' },
    handle: ({ body: { name, ...given } }) => plans.create(name, given),
  }),
  on.system.patch('/api/plans/:name', {
    summary: 'Changes the limits of a plan',
    description:
      'They hold for all its accounts from then on, and what an account has above them stays. Quotas of accounts that were those of the plan follow it, others stay. The host is told account by account after the answer; PHP that runs is replaced then.',
    params,
    body: changeSchema,
    data: planSchema,
    errors: { 404: NOT_FOUND },
    handle: ({ params: { name }, body }) => plans.change(name, given(body)),
  }),
  on.system.delete('/api/plans/:name', {
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
