import { z } from 'zod'
import { LOCAL } from '../../ports/host/backups/backups.ts'
import { EVERY_HOURS } from '../../ports/store/backup-schedule-store.ts'
import type { BackupSchedule, EveryHours } from '../../ports/store/backup-schedule-store.ts'
import type { Services } from '../../services/services.ts'
import { authorize, reachOf } from '../access/policy.ts'
import { numberText, oneOf, text } from '../frame/fields.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import {
  accountScheduleSchema,
  accountScheduleView,
  backupStateSchema,
  planScheduleSchema,
  planScheduleView,
  schedulesSchema,
} from './schedule-schema.ts'

const MAX_KEPT = 1000
const MAX_PLACES = 8

const isPeriod = (value: number): value is EveryHours => EVERY_HOURS.some((one) => one === value)

const hour = (field: string) =>
  z
    .int({ error: `${field} must be an hour from 0 to 23.` })
    .min(0)
    .max(23)
const kept = (field: string) =>
  z
    .int({ error: `${field} must be a whole number.` })
    .min(0, `${field} must not be negative.`)
    .max(MAX_KEPT, `${field} must be at most ${MAX_KEPT}.`)
    .default(0)

/** A schedule as it is sent. */
export const scheduleBody = z
  .object({
    what: oneOf('what', ['archive', 'snapshot', 'none']),
    every_hours: z
      .int({ error: 'every_hours must be a whole number.' })
      .refine(isPeriod, `every_hours must be one of ${EVERY_HOURS.join(', ')}.`)
      .meta({ enum: [...EVERY_HOURS] })
      .default(24),
    window: z
      .object(
        { from: hour('window.from'), to: hour('window.to') },
        { error: 'window must be {from, to} or null.' },
      )
      .refine(
        ({ from, to }) => from !== to,
        'window must not end where it begins; null is any time.',
      )
      .nullable()
      .default(null)
      .describe('Hours of the day, UTC; it may cross midnight.'),
    places: z
      .array(text('places', 32), { error: 'places must be a list of names.' })
      .min(1, 'places must name one place at least: "local", or a remote target.')
      .max(MAX_PLACES, `places must be at most ${MAX_PLACES}.`)
      .refine((places) => new Set(places).size === places.length, 'places must not repeat a place.')
      .default([LOCAL]),
    retention: z
      .object({
        last: kept('retention.last'),
        hourly: kept('retention.hourly'),
        daily: kept('retention.daily'),
        weekly: kept('retention.weekly'),
        monthly: kept('retention.monthly'),
      })
      .refine(
        (keep) => Object.values(keep).some((number) => number > 0),
        'retention must keep something: one of last, hourly, daily, weekly, monthly.',
      )
      .default({ last: 0, hourly: 0, daily: 7, weekly: 4, monthly: 6 }),
  })
  .transform((body): BackupSchedule => body)

const on = routesOf('Backups')
const planParams = z.object({ plan: z.string().describe('Name of the plan.') })
const accountParams = z.object({ id: numberText('id') })
const ofAccount = ({ params: { id }, caller }: Call<{ id: number }>): void =>
  authorize(caller, 'account', id)
const NO_ACCOUNT = 'No such account.'
const RULES =
  "An account's own schedule holds before its plan's, and that before the default of [backups] in berth.toml. Only administrators change schedules; owners read their account's. A backup begins with its slot on the clock, so many at a time as [backups] at_once says; a missed one is made up for within the window, or at once when it is a day late, and once only. After one that failed the next is tried a day later at the latest."

/** Schedules of backups. */
export const scheduleRoutes = ({ schedules }: Services) => [
  on.account.get('/api/backups/state', {
    summary: 'What is wrong with the backups',
    description: 'Of all accounts; for a user of role account of its own alone.',
    data: backupStateSchema,
    handle: ({ caller }) => schedules.state(reachOf(caller)),
  }),
  on.system.get('/api/backups/schedules', {
    summary: 'The default schedule of backups, and those of plans',
    description: RULES,
    data: schedulesSchema,
    async handle() {
      const plans = await schedules.plans()
      return { default: await schedules.preset(), plans: plans.map(planScheduleView) }
    },
  }),
  on.system.get('/api/backups/schedules/plans/:plan', {
    summary: 'The schedule of a plan',
    params: planParams,
    data: planScheduleSchema,
    errors: { 404: 'No such plan, or it has no schedule.' },
    handle: async ({ params: { plan } }) => planScheduleView(await schedules.ofPlan(plan)),
  }),
  on.system.put('/api/backups/schedules/plans/:plan', {
    summary: 'Sets the schedule of a plan',
    description: RULES,
    params: planParams,
    body: scheduleBody,
    data: planScheduleSchema,
    errors: { 404: 'No such plan.', 503: 'The host does not answer.' },
    async handle({ params: { plan }, body }) {
      await schedules.set({ plan }, body)
      return planScheduleView(await schedules.ofPlan(plan))
    },
  }),
  on.system.delete('/api/backups/schedules/plans/:plan', {
    summary: 'Removes the schedule of a plan',
    description: 'The default holds from then on. Backups stay.',
    params: planParams,
    data: z.object({ plan: z.string(), deleted: z.literal(true) }),
    errors: { 404: 'No such plan, or it has no schedule.' },
    async handle({ params: { plan } }) {
      await schedules.remove({ plan })
      return { plan, deleted: true as const }
    },
  }),
  on.account.list('/api/backups/schedules/accounts', {
    summary: 'Lists the accounts with the schedules that hold for them',
    description: 'With their last and next runs. A user of role account sees its own alone.',
    sortable: ['id', 'username', 'plan'],
    filters: { plan: text('plan', 32).optional().describe('Only accounts of this plan.') },
    row: accountScheduleSchema,
    async rows(list) {
      const { rows, total } = await schedules.accounts(list)
      return { rows: rows.map(accountScheduleView), total }
    },
  }),
  on.account.get('/api/backups/schedules/accounts/:id', {
    summary: 'The schedule that holds for an account',
    description: `With its last and next run. ${RULES}`,
    params: accountParams,
    data: accountScheduleSchema,
    errors: { 404: NO_ACCOUNT },
    before: ofAccount,
    handle: async ({ params: { id } }) => accountScheduleView(await schedules.ofAccount(id)),
  }),
  on.system.put('/api/backups/schedules/accounts/:id', {
    summary: 'Gives an account a schedule of its own',
    description: RULES,
    params: accountParams,
    body: scheduleBody,
    data: accountScheduleSchema,
    errors: { 404: NO_ACCOUNT, 503: 'The host does not answer.' },
    async handle({ params: { id }, body }) {
      await schedules.set({ accountId: id }, body)
      return accountScheduleView(await schedules.ofAccount(id))
    },
  }),
  on.system.delete('/api/backups/schedules/accounts/:id', {
    summary: 'Removes the schedule that an account has of its own',
    description: "Its plan's holds from then on, or the default. Backups stay.",
    params: accountParams,
    data: accountScheduleSchema,
    errors: { 404: 'No such account, or it has no schedule of its own.' },
    async handle({ params: { id } }) {
      await schedules.remove({ accountId: id })
      return accountScheduleView(await schedules.ofAccount(id))
    },
  }),
]
