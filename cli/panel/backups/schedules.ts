import type { z } from 'zod'
import type {
  accountScheduleSchema,
  planScheduleSchema,
  scheduleSchema,
  schedulesSchema,
} from '#handlers/panel/backups/schedule-schema.ts'
import { CliError } from '../../cli-error.ts'
import type { CommandOptions } from '../frame/command-options.ts'
import { given } from '../frame/command-options.ts'
import type { OptionSpec, ResourceSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { listCommand, printRows } from '../frame/list-command.ts'
import { findAccount } from '../frame/lookup.ts'
import { api, apiPath, type PanelClient } from '../frame/panel-client.ts'

type Schedule = z.output<typeof scheduleSchema>
type OfAccount = z.output<typeof accountScheduleSchema>
type OfPlan = z.output<typeof planScheduleSchema>

const RULES = ['last', 'hourly', 'daily', 'weekly', 'monthly'] as const
const WHOSE: readonly OptionSpec[] = [
  ['--account <account>', 'username or number: the schedule of this account alone'],
  ['--plan <plan>', 'the schedule of all accounts of this plan that have none of their own'],
]

/** A schedule on one line. */
const wordsOf = ({ what, every_hours, window, places, retention }: Schedule): string => {
  if (what === 'none') return 'none'
  const when = window === null ? '' : ` ${window.from}-${window.to} UTC`
  const kept = RULES.filter((rule) => retention[rule] > 0).map(
    (rule) => `${rule} ${retention[rule]}`,
  )
  return `${what} every ${every_hours} h${when} at ${places.join(', ')}; keeps ${kept.join(', ')}`
}

/** What the command names, as the end of the API's path. */
const ownerOf = async (panel: PanelClient, options: CommandOptions): Promise<string> => {
  const [account, plan] = [options.text('account'), options.text('plan')]
  if ((account === undefined) === (plan === undefined))
    throw new CliError('Give either --account or --plan.', 2)
  return account === undefined
    ? apiPath`plans/${plan ?? ''}`
    : apiPath`accounts/${(await findAccount(panel, account)).id}`
}

/** `2-5`, or `any`. */
const windowOf = (text: string | undefined): { from: number; to: number } | null | undefined => {
  if (text === undefined) return undefined
  if (text === 'any') return null
  const [, from, to] = /^(\d{1,2})-(\d{1,2})$/.exec(text) ?? []
  if (from === undefined || to === undefined)
    throw new CliError('--window must be two hours such as 22-4, or "any".', 2)
  return { from: Number(from), to: Number(to) }
}

/** `berth schedules …`. */
export const schedules: ResourceSpec = {
  name: 'schedules',
  alias: 'schedule',
  summary: 'when backups are made by themselves, and which are kept',
  commands: {
    list: listCommand<OfAccount>({
      summary: 'list the accounts with the schedules that hold for them',
      examples: ['berth schedules list'],
      path: '/api/backups/schedules/accounts',
      sortable: ['username', 'plan'],
      columns: [
        ['ACCOUNT', 'username'],
        ['FROM', 'source'],
        ['SCHEDULE', 'schedule', null, (row) => wordsOf(row.schedule)],
        ['LAST', 'last_run', null, (row) => row.last_run?.outcome ?? null],
        ['NEXT', 'next_run_at'],
      ],
      empty: 'There are no accounts.',
    }),
    plans: {
      summary: 'list the default and the schedules of plans',
      examples: ['berth schedules plans'],
      order: () => ({
        to: api`GET /api/backups/schedules`,
        done(data) {
          const { default: preset, plans } = known<z.output<typeof schedulesSchema>>(
            data,
            'default',
            'plans',
          )
          console.log(`default: ${wordsOf(preset)}`)
          printRows<OfPlan>(
            plans,
            [
              ['PLAN', 'plan'],
              ['SCHEDULE', 'schedule', null, (row) => wordsOf(row.schedule)],
            ],
            'No plan has a schedule of its own.',
          )
        },
      }),
    },
    show: {
      summary: 'show the schedule that holds for an account, its last and its next run',
      args: [['<account>', 'username or number']],
      examples: ['berth schedules show alice'],
      order: async ({ panel, args: [name = ''] }) => ({
        to: api`GET /api/backups/schedules/accounts/${(await findAccount(panel, name)).id}`,
        done(data) {
          const { source, schedule, last_run, next_run_at } = known<OfAccount>(
            data,
            'source',
            'schedule',
            'last_run',
            'next_run_at',
          )
          console.log(`${wordsOf(schedule)} (${source})`)
          console.log(
            `last: ${last_run === null ? 'never' : `${last_run.started_at} ${last_run.outcome}`}`,
          )
          if (last_run?.error) console.log(`error: ${last_run.error}`)
          console.log(`next: ${next_run_at ?? 'never'}`)
        },
      }),
    },
    set: {
      summary: 'set the schedule of an account or of a plan',
      note: 'It takes the place of the one before, also in what is not named.',
      options: [
        ...WHOSE,
        [
          '--what <what>',
          'what is made',
          { choices: ['archive', 'snapshot', 'none'], preset: 'archive' },
        ],
        ['--every <hours>', '1, 2, 3, 4, 6, 8, 12, 24, or 168: once a week', { preset: '24' }],
        ['--window <hours>', 'such as 22-4: hours, UTC, between which one may begin; default: any'],
        ['--place <name>', '"local", or a target; default: local', { repeatable: true }],
        ...RULES.map((rule): OptionSpec => [
          `--${rule} <count>`,
          rule === 'last'
            ? 'keep the newest so many'
            : `keep the newest of so many ${{ hourly: 'hours', daily: 'days', weekly: 'weeks', monthly: 'months' }[rule]}`,
        ]),
      ],
      examples: [
        'berth schedules set --plan pro --what snapshot --every 6 --place local --place offsite --daily 7 --weekly 4',
        'berth schedules set --account alice --window 22-4 --last 3',
      ],
      async order({ panel, options }) {
        const retention = given(
          Object.fromEntries(RULES.map((rule) => [rule, options.number(rule, [0, 1000])])),
        )
        return {
          to: { method: 'PUT', path: `/api/backups/schedules/${await ownerOf(panel, options)}` },
          body: given({
            what: options.text('what'),
            every_hours: options.number('every', [1, 168]),
            window: windowOf(options.text('window')),
            places: options.list('place'),
            retention: Object.keys(retention).length === 0 ? undefined : retention,
          }),
          done: (data) =>
            console.log(wordsOf(known<{ schedule: Schedule }>(data, 'schedule').schedule)),
        }
      },
    },
    delete: {
      summary: "remove a schedule, so that the plan's or the default holds; backups stay",
      options: WHOSE,
      examples: ['berth schedules delete --account alice'],
      order: async ({ panel, options }) => ({
        to: { method: 'DELETE', path: `/api/backups/schedules/${await ownerOf(panel, options)}` },
        done: 'The schedule was removed.',
      }),
    },
    state: {
      summary: 'show what is wrong with the scheduled backups; exit code 1 when something is',
      examples: ['berth schedules state'],
      order: () => ({
        to: api`GET /api/backups/state`,
        failed: (data) => {
          const { failed, overdue } = known<{ failed: unknown[]; overdue: unknown[] }>(
            data,
            'failed',
            'overdue',
          )
          return failed.length > 0 || overdue.length > 0
        },
      }),
    },
  },
}
