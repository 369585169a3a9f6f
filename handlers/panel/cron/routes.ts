import { z } from 'zod'
import { timestamp } from '../../domain/text/timestamp.ts'
import type { Services } from '../../services/services.ts'
import { changes, flag, id, numberText, oneOf } from '../frame/fields.ts'
import { given } from '../frame/given.ts'
import { authorize } from '../access/policy.ts'
import { routesOf } from '../frame/routes-of.ts'
import { cronFields, keptCommand, scheduleField, timeZoneField } from './cron-fields.ts'
import {
  CRON_OUTCOMES,
  cronJobSchema,
  cronJobView,
  cronPreviewSchema,
  cronRunSchema,
  cronRunView,
  listedCronJobSchema,
  listedCronJobView,
} from './schema.ts'

const createSchema = z.object({
  account_id: id('account_id'),
  ...cronFields,
  time_zone: cronFields.time_zone.default('UTC'),
  enabled: flag('enabled').default(true),
  time_limit_secs: cronFields.time_limit_secs.default(3600),
  overlap: cronFields.overlap.default('skip'),
  notify_after: cronFields.notify_after.default(3),
})
const changeSchema = changes(z.object(cronFields).partial().shape)
const params = z.object({ account_id: numberText('account_id') })
const jobParams = params.extend({ id: numberText('id') })
const runParams = jobParams.extend({ run: z.string().max(64) })

const on = routesOf('Cron', { changes: 'develop' })
const NOT_FOUND = 'No such account or job.'
const filters = {
  enabled: oneOf('enabled', ['true', 'false'])
    .optional()
    .describe('Only jobs that are on, or off.'),
  outcome: oneOf('outcome', CRON_OUTCOMES).optional().describe('Only jobs whose last run went so.'),
}
const sortable = ['name', 'schedule', 'next_at', 'last_started_at', 'created_at'] as const

/** Cron jobs of accounts. */
export const cronRoutes = ({ cron }: Services) => [
  on.account.get('/api/cron/preview', {
    summary: 'When a schedule is due',
    query: z.object({ schedule: scheduleField(), time_zone: timeZoneField().default('UTC') }),
    data: cronPreviewSchema,
    handle: async ({ query: { schedule, time_zone } }) => ({
      schedule,
      time_zone,
      next_runs: cron.preview({ schedule, timeZone: time_zone }, 5).map((at) => timestamp(at)),
    }),
  }),
  on.manage.list('/api/cron', {
    summary: 'Lists the cron jobs of all accounts',
    description: 'A reseller sees those of his accounts.',
    sortable,
    filters,
    row: listedCronJobSchema,
    async rows(list) {
      const { rows, total } = await cron.list(null, list)
      return { rows: rows.map(listedCronJobView), total }
    },
  }),
  on.account.list('/api/cron/:account_id', {
    summary: 'Lists the cron jobs of an account',
    sortable,
    filters,
    params,
    row: listedCronJobSchema,
    errors: { 404: 'No such account.' },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    async rows(list, { params }) {
      const { rows, total } = await cron.list(params.account_id, list)
      return { rows: rows.map(listedCronJobView), total }
    },
  }),
  on.account.post('/api/cron', {
    summary: 'Makes a cron job',
    description:
      "Jobs are run by Berth itself, in the limits of the account's programs, never twice for one minute; what was due while the machine was off for more than five minutes is left out. A run ends with all that it started. When it may have published something (wp-cron, drush, artisan ...) the pages of the account's sites are made anew. Addresses of private networks are not asked, but for the account's own sites. How many jobs an account may have is a limit of its plan, which an administrator may exceed.",
    body: createSchema,
    data: cronJobSchema,
    errors: {
      403: 'The account has as many cron jobs as its plan allows.',
      404: 'No such account.',
      409: 'The account is being made or deleted.',
    },
    async handle({ body, caller }) {
      authorize(caller, 'account', body.account_id)
      const { account_id, ...settings } = body
      const command = keptCommand(settings.kind, settings.command)
      const bounded = caller.role !== 'admin'
      return cronJobView(await cron.create(account_id, { ...settings, command }, bounded))
    },
  }),
  on.account.get('/api/cron/:account_id/:id', {
    summary: 'Shows a cron job',
    params: jobParams,
    data: cronJobSchema,
    errors: { 404: NOT_FOUND },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    handle: async ({ params }) => cronJobView(await cron.get(params.account_id, params.id)),
  }),
  on.account.patch('/api/cron/:account_id/:id', {
    summary: 'Changes a cron job',
    description: 'A run that is under way goes on as it began.',
    params: jobParams,
    body: changeSchema,
    data: cronJobSchema,
    errors: { 404: NOT_FOUND },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    async handle({ params: { account_id, id }, body: { command, ...settings } }) {
      const before = await cron.get(account_id, id)
      const kind = settings.kind ?? before.kind
      // Both or neither: another change may lie between what was read and what is written.
      const kept =
        command !== undefined || kind !== before.kind
          ? { kind, command: keptCommand(kind, command ?? '') }
          : {}
      return cronJobView(await cron.change(account_id, id, { ...given(settings), ...kept }))
    },
  }),
  on.account.delete('/api/cron/:account_id/:id', {
    summary: 'Removes a cron job',
    description: 'With its runs; one that is under way is ended.',
    params: jobParams,
    data: z.object({ id: z.int(), deleted: z.literal(true) }),
    errors: { 404: NOT_FOUND, 503: 'The host does not answer.' },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    async handle({ params: { account_id, id } }) {
      await cron.remove(account_id, id)
      return { id, deleted: true as const }
    },
  }),
  on.account.get('/api/cron/:account_id/:id/runs', {
    summary: 'Shows the last runs of a cron job',
    description: 'Newest first: 20, beside them five that were left out, and those under way.',
    params: jobParams,
    data: z.array(cronRunSchema),
    errors: { 404: NOT_FOUND },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    handle: async ({ params }) => (await cron.runs(params.account_id, params.id)).map(cronRunView),
  }),
  on.account.post('/api/cron/:account_id/:id/run', {
    summary: 'Runs a cron job now',
    description:
      'Also one that is off. Answers when it begins; where a run is under way it waits for its end, or ends it, as the job says.',
    params: jobParams,
    data: cronRunSchema,
    errors: { 404: NOT_FOUND, 409: 'The account is not active.' },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    handle: async ({ params }) => cronRunView(await cron.runNow(params.account_id, params.id)),
  }),
  on.account.post('/api/cron/:account_id/:id/runs/:run/stop', {
    summary: 'Ends a run of a cron job',
    description: 'With all that it started; five seconds after it was asked to end it is made to.',
    params: runParams,
    data: z.object({ id: z.string(), stopped: z.literal(true) }),
    errors: { 404: 'No such account, job or run.', 503: 'The host does not answer.' },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    async handle({ params: { account_id, id, run } }) {
      await cron.stopRun(account_id, id, run)
      return { id: run, stopped: true as const }
    },
  }),
]
