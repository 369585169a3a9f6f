import type { z } from 'zod'
import type {
  cronJobSchema,
  cronPreviewSchema,
  cronRunSchema,
  listedCronJobSchema,
} from '#handlers/panel/cron/schema.ts'
import { CliError } from '../cli-error.ts'
import { printable } from '../terminal/printable.ts'
import { given, givenSome, type CommandOptions } from './frame/command-options.ts'
import type { OptionSpec, ResourceSpec } from './frame/command-types.ts'
import { known, knownRows } from './frame/known.ts'
import { listCommand } from './frame/list-command.ts'
import { ACCOUNT, findAccount } from './frame/lookup.ts'
import { api, apiPath, type PanelClient } from './frame/panel-client.ts'

type Job = z.output<typeof cronJobSchema>
type ListedJob = z.output<typeof listedCronJobSchema>
type Run = z.output<typeof cronRunSchema>

const JOB = ['<job>', 'name or number, as berth cron list shows it'] as const

/** A job by its number or its name, which then must be that of one job alone. */
const findJob = async (
  panel: PanelClient,
  account: string | undefined,
  job = '',
): Promise<ListedJob> => {
  const { id } = await findAccount(panel, account)
  const data = await panel.call('GET', apiPath`/api/cron/${id}`)
  const found = knownRows<ListedJob>(data, 'id', 'account_id', 'name').filter(
    (row) => String(row.id) === job || row.name === job,
  )
  const [first] = found
  if (first !== undefined && found.length === 1) return first
  throw new CliError(
    first === undefined
      ? `The account has no cron job "${job}". See: berth cron list ${account ?? ''}`
      : `Several cron jobs are called "${job}". Say which by its number.`,
  )
}
const pathOf = ({ account_id: account, id }: Pick<Job, 'account_id' | 'id'>) =>
  [account, id] as const

const SCHEDULE: OptionSpec = [
  '--schedule <fields>',
  'minute, hour, day of the month, month, day of the week, e.g. "15 3 * * mon-fri"; or @daily and the like',
]
const SETTINGS: readonly OptionSpec[] = [
  ['--shell <line>', 'runs a line of sh'],
  ['--program <name>', 'runs a program, without a shell'],
  ['--argument <text>', 'of the program; repeatable', { repeatable: true }],
  ['--address <url>', 'asks an address'],
  ['--time-zone <name>', 'by whose clock, e.g. Europe/Berlin (default: UTC)'],
  ['--time-limit <seconds>', 'after that it is ended (default: 3600)'],
  [
    '--overlap <what>',
    'when the run before has not ended: leave it out, let it wait, or end the one before (default: skip)',
    { choices: ['skip', 'queue', 'kill'] },
  ],
  [
    '--notify-after <count>',
    'failures in a row after which there is an event; 0: never (default: 3)',
  ],
]

/** What runs, of the three ways to say it; undefined where none was taken. */
const commandOf = (options: CommandOptions): { kind?: string; command?: string | string[] } => {
  const [line, program, url] = ['shell', 'program', 'address'].map((name) => options.text(name))
  if ([line, program, url].filter((one) => one !== undefined).length > 1)
    throw new CliError('Say one of --shell, --program and --address.', 2)
  if (line !== undefined) return { kind: 'shell', command: line }
  if (url !== undefined) return { kind: 'url', command: url }
  if (program !== undefined)
    return { kind: 'command', command: [program, ...(options.list('argument') ?? [])] }
  if (options.list('argument') !== undefined) throw new CliError('--argument needs --program.', 2)
  return {}
}

const settingsOf = (options: CommandOptions): Record<string, unknown> => ({
  ...commandOf(options),
  schedule: options.text('schedule'),
  time_zone: options.text('timeZone'),
  time_limit_secs: options.number('timeLimit', [1, 86_400]),
  overlap: options.text('overlap'),
  notify_after: options.number('notifyAfter', [0, 100]),
})

const switched = (enabled: boolean) =>
  ({
    summary: enabled ? 'switch a cron job on' : 'switch a cron job off',
    args: [ACCOUNT, JOB],
    examples: [`berth cron ${enabled ? 'enable' : 'disable'} alice tidy`],
    order: async ({ panel, args: [account, name] }) => {
      const job = await findJob(panel, account, name)
      const [owner, id] = pathOf(job)
      return {
        to: api`PATCH /api/cron/${owner}/${id}`,
        body: { enabled },
        done: `${job.name} is ${enabled ? 'on' : 'off'}.`,
      }
    },
  }) satisfies ResourceSpec['commands'][string]

/** `berth cron …`. */
export const cron: ResourceSpec = {
  name: 'cron',
  summary: 'cron jobs of accounts',
  commands: {
    list: listCommand<ListedJob>({
      summary: 'list the cron jobs of an account, or of all',
      args: [['[account]', 'username or number; default: all accounts']],
      options: [
        ['--outcome <how>', 'only jobs whose last run went so, e.g. failed'],
        ['--enabled <yes>', 'only jobs that are on, or off', { choices: ['true', 'false'] }],
      ],
      examples: ['berth cron list alice', 'berth cron list --outcome failed'],
      path: async ({ panel, args: [name = ''] }) =>
        name === '' ? '/api/cron' : apiPath`/api/cron/${(await findAccount(panel, name)).id}`,
      query: ({ options }) => options.texts('outcome', 'enabled'),
      sortable: ['name', 'schedule', 'next_at', 'last_started_at'],
      columns: [
        ['ID', 'id', 'right'],
        ['ACCOUNT', 'username'],
        ['NAME', 'name'],
        ['SCHEDULE', 'schedule'],
        ['ON', 'enabled'],
        ['NEXT (UTC)', 'next_at'],
        ['LAST (UTC)', 'last_started_at'],
        ['OUTCOME', 'last_outcome', 'state'],
      ],
      empty: 'There are no cron jobs. Make one: berth cron create',
    }),
    show: {
      summary: 'show a cron job',
      args: [ACCOUNT, JOB],
      examples: ['berth cron show alice tidy'],
      order: async ({ panel, args: [account, name] }) => {
        const [owner, id] = pathOf(await findJob(panel, account, name))
        return { to: api`GET /api/cron/${owner}/${id}` }
      },
    },
    create: {
      summary: 'make a cron job',
      note: "It runs as the account's user, in its home, with the account's PHP first in PATH and in the limits of its plan; whatever it starts ends with it.",
      args: [ACCOUNT, ['<name>', 'what it is for']],
      options: [
        [SCHEDULE[0], SCHEDULE[1], { required: true }],
        ...SETTINGS,
        ['--off', 'is not switched on yet'],
      ],
      examples: [
        'berth cron create alice tidy --schedule "15 3 * * *" --shell "cd shop && php tidy.php"',
        'berth cron create alice queue --schedule "* * * * *" --program php --argument artisan --argument schedule:run',
        'berth cron create alice feed --schedule @hourly --address https://example.com/wp-cron.php',
      ],
      async order({ panel, args: [account, name], options }) {
        const settings = settingsOf(options)
        if (settings['kind'] === undefined)
          throw new CliError('Say what it runs: --shell, --program or --address.', 2)
        return {
          to: api`POST /api/cron`,
          body: given({
            account_id: (await findAccount(panel, account)).id,
            name,
            enabled: options.isOn('off') ? false : undefined,
            ...settings,
          }),
        }
      },
    },
    update: {
      summary: 'change a cron job',
      args: [ACCOUNT, JOB],
      options: [SCHEDULE, ...SETTINGS, ['--name <name>', 'another name']],
      examples: ['berth cron update alice tidy --schedule "45 4 * * sun"'],
      async order({ panel, args: [account, job], options }) {
        const body = givenSome(
          { ...settingsOf(options), name: options.text('name') },
          '--schedule, --shell, --program, --address, --time-zone, --time-limit, --overlap, --notify-after, --name',
        )
        const [owner, id] = pathOf(await findJob(panel, account, job))
        return { to: api`PATCH /api/cron/${owner}/${id}`, body }
      },
    },
    enable: switched(true),
    disable: switched(false),
    run: {
      summary: 'run a cron job now',
      args: [ACCOUNT, JOB],
      examples: ['berth cron run alice tidy'],
      order: async ({ panel, args: [account, name] }) => {
        const [owner, id] = pathOf(await findJob(panel, account, name))
        return {
          to: api`POST /api/cron/${owner}/${id}/run`,
          done: (data) =>
            console.log(
              `Run ${known<Run>(data, 'id').id} began. See: berth cron runs ${account} ${name}`,
            ),
        }
      },
    },
    runs: listCommand<Run>({
      summary: 'list the last runs of a cron job',
      args: [ACCOUNT, JOB],
      examples: ['berth cron runs alice tidy'],
      path: async ({ panel, args: [account, name] }) => {
        const [owner, id] = pathOf(await findJob(panel, account, name))
        return apiPath`/api/cron/${owner}/${id}/runs`
      },
      columns: [
        ['RUN', 'id'],
        ['DUE (UTC)', 'due_at'],
        ['STARTED', 'started_at'],
        ['ENDED', 'ended_at'],
        ['OUTCOME', 'outcome', 'state'],
        ['CODE', 'code', 'right'],
        [
          'LAST LINE',
          'output',
          null,
          (row) => printable(row.output.trimEnd().split('\n').at(-1) ?? '').slice(0, 60),
        ],
      ],
      empty: 'It has not run yet.',
    }),
    output: {
      summary: 'show what a run wrote',
      args: [ACCOUNT, JOB, ['[run]', 'as berth cron runs shows it; default: the last one']],
      examples: ['berth cron output alice tidy'],
      async run({ panel, args: [account, name, which = ''], print }) {
        const [owner, id] = pathOf(await findJob(panel, account, name))
        const data = await panel.call('GET', apiPath`/api/cron/${owner}/${id}/runs`)
        const runs = knownRows<Run>(data, 'id', 'output')
        const run = which === '' ? runs[0] : runs.find((one) => one.id === which)
        if (run === undefined) throw new CliError('There is no such run. See: berth cron runs')
        print(run, () =>
          process.stdout.write(`${run.output.split('\n').map(printable).join('\n')}\n`),
        )
      },
    },
    stop: {
      summary: 'end a run of a cron job',
      args: [ACCOUNT, JOB, ['<run>', 'as berth cron runs shows it']],
      examples: ['berth cron stop alice tidy 0b2c5a4e-6f0e-4a52-9a51-1f3f0d9c7c11'],
      order: async ({ panel, args: [account, name, run = ''] }) => {
        const [owner, id] = pathOf(await findJob(panel, account, name))
        return {
          to: api`POST /api/cron/${owner}/${id}/runs/${run}/stop`,
          done: 'It is being ended.',
        }
      },
    },
    preview: {
      summary: 'show when a schedule is due',
      args: [['<schedule>', 'as for berth cron create']],
      options: [['--time-zone <name>', 'by whose clock (default: UTC)']],
      examples: ['berth cron preview "0 4 * * sun" --time-zone Europe/Berlin'],
      order: ({ args: [schedule], options }) => ({
        to: api`GET /api/cron/preview`,
        query: given({ schedule, time_zone: options.text('timeZone') }),
        done: (data) => {
          const { next_runs: runs } = known<z.output<typeof cronPreviewSchema>>(data, 'next_runs')
          for (const at of runs) console.log(`${at} UTC`)
        },
      }),
    },
    delete: {
      summary: 'remove a cron job with its runs',
      args: [ACCOUNT, JOB],
      confirms: 'name',
      examples: ['berth cron delete alice tidy'],
      async order({ panel, args: [account, name] }) {
        const job = await findJob(panel, account, name)
        const [owner, id] = pathOf(job)
        return {
          to: api`DELETE /api/cron/${owner}/${id}`,
          confirm: [`Removing cron job ${job.name} of ${job.username}`, job.name],
          done: `Cron job ${job.name} of ${job.username} was removed.`,
        }
      },
    },
  },
}
