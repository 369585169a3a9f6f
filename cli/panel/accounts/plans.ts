import { Option } from 'commander'
import type { z } from 'zod'
import { LATER_LIMITS, PLAN_LIMITS, type PlanLimit } from '#handlers/domain/accounts/plan-limits.ts'
import type { planSchema } from '#handlers/panel/accounts/plan-schema.ts'
import type { CommandOptions } from '../frame/command-options.ts'
import { given, givenSome } from '../frame/command-options.ts'
import type { OptionSpec, ResourceSpec } from '../frame/command-types.ts'
import { listCommand } from '../frame/list-command.ts'
import { api } from '../frame/panel-client.ts'

/** Of each limit: its option, what it is, and its title in the list. */
const LIMITS = {
  disk_quota_mb: ['--disk-quota <mb>', 'megabytes of disk', 'DISK MB'],
  bandwidth_quota_mb: ['--bandwidth-quota <mb>', 'megabytes a month', 'TRAFFIC MB'],
  domains_limit: ['--domains <count>', 'of every type, the primary one too', 'DOMAINS'],
  databases_limit: ['--databases <count>', 'databases', 'DATABASES'],
  database_users_limit: [
    '--database-users <count>',
    'further users of databases',
    'DATABASE USERS',
  ],
  tokens_limit: ['--tokens <count>', 'API tokens', 'TOKENS'],
  backups_limit: [
    '--backups <count>',
    'backups on this host and snapshots, made by hand',
    'BACKUPS',
  ],
  cron_jobs_limit: ['--cron-jobs <count>', 'cron jobs', 'CRON JOBS'],
  sftp_users_limit: ['--sftp-users <count>', 'SFTP users for one folder each', 'SFTP USERS'],
  database_addresses_limit: [
    '--database-addresses <count>',
    'addresses from which databases are reached',
    'ADDRESSES',
  ],
  applications_limit: ['--applications <count>', 'applications that go on running', 'APPS'],
  shells_limit: ['--shells <0|1>', '1: its accounts may be given a shell', 'SHELLS'],
  ssh_keys_limit: ['--ssh-keys <count>', 'keys that open the account over SFTP', 'SSH KEYS'],
  mails_per_hour_limit: ['--mails <count>', 'mails in an hour, by recipients', 'MAILS/H'],
  people_limit: ['--people <count>', "persons beside the account's own login", 'PEOPLE'],
  processes_limit: ['--processes <count>', 'processes and threads', 'PROCESSES'],
  memory_limit_mb: ['--memory <mb>', 'megabytes of memory of one process', 'MEMORY MB'],
  memory_total_mb: [
    '--memory-total <mb>',
    'megabytes of memory of all processes together, 0: no limit',
    'TOTAL MB',
  ],
  cpu_weight: ['--cpu-weight <weight>', 'part of the processor where it is short', 'CPU WEIGHT'],
  cpu_percent: ['--cpu-percent <percent>', 'of one processor, 0: no limit', 'CPU %'],
  io_weight: ['--io-weight <weight>', "part of the disk's time where it is short", 'IO WEIGHT'],
} satisfies Record<PlanLimit, readonly [flags: string, text: string, title: string]>
const FIELDS = Object.keys(PLAN_LIMITS) as PlanLimit[]

const limitOptions = (required: boolean): OptionSpec[] =>
  FIELDS.map((field) => {
    const [flags, text] = LIMITS[field]
    const later = Object.hasOwn(LATER_LIMITS, field)
      ? LATER_LIMITS[field as keyof typeof LATER_LIMITS]
      : undefined
    return required && later !== undefined
      ? [flags, `${text} (default: ${later})`]
      : [flags, text, { required }]
  })

const limitsOf = (options: CommandOptions): Record<string, number | undefined> =>
  Object.fromEntries(
    FIELDS.map((field) => {
      const name = new Option(LIMITS[field][0]).attributeName()
      return [field, options.number(name, PLAN_LIMITS[field])]
    }),
  )

const PLAN = ['<plan>', 'its name'] as const

/** `berth plans …`. */
export const plans: ResourceSpec = {
  name: 'plans',
  alias: 'plan',
  summary: 'hosting plans: quotas and limits of accounts',
  commands: {
    list: listCommand<z.output<typeof planSchema>>({
      summary: 'list the plans',
      examples: ['berth plans list'],
      path: '/api/plans',
      columns: [
        ['PLAN', 'name'],
        ...FIELDS.map((field) => [LIMITS[field][2], field, 'right'] as const),
        ['ACCOUNTS', 'accounts', 'right'],
      ],
      empty: 'There are no plans.',
    }),
    show: {
      summary: 'show a plan',
      args: [PLAN],
      examples: ['berth plans show free'],
      order: ({ args: [name] }) => ({ to: api`GET /api/plans/${name}` }),
    },
    create: {
      summary: 'make a plan',
      args: [['<plan>', 'its name: 2 to 32 of a-z, 0-9, - and _']],
      options: limitOptions(true),
      examples: [
        'berth plans create gold --disk-quota 20000 --bandwidth-quota 500000 --domains 50 --databases 50 --tokens 20 --backups 30 --processes 150 --memory 4096',
      ],
      order: ({ args: [name], options }) => ({
        to: api`POST /api/plans`,
        body: given({ name, ...limitsOf(options) }),
      }),
    },
    update: {
      summary: 'change the limits of a plan',
      note: 'They hold for all its accounts from then on; what an account has above them stays.',
      args: [PLAN],
      options: limitOptions(false),
      examples: ['berth plans update free --domains 3 --memory 256'],
      order: ({ args: [name], options }) => ({
        to: api`PATCH /api/plans/${name}`,
        body: givenSome(
          limitsOf(options),
          FIELDS.map((field) => LIMITS[field][0].split(' ')[0]).join(', '),
        ),
      }),
    },
    delete: {
      summary: 'delete a plan that no account has',
      args: [PLAN],
      confirms: 'name',
      examples: ['berth plans delete gold --yes'],
      order: ({ args: [name = ''] }) => ({
        to: api`DELETE /api/plans/${name}`,
        confirm: [`Deleting plan ${name}`, name],
        done: `Plan ${name} was deleted.`,
      }),
    },
  },
}
