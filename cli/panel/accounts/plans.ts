import { z } from 'zod'
import { confirmByName } from '../../terminal/confirm.ts'
import type { CommandOptions } from '../frame/command-options.ts'
import { given, givenSome } from '../frame/command-options.ts'
import type { CommandSpec, OptionSpec, ResourceSpec } from '../frame/command-spec.ts'
import { listCommand } from '../frame/list-command.ts'
import { apiPath } from '../frame/panel-client.ts'
import { showRecord } from '../frame/show-record.ts'

const rowSchema = z.object({
  name: z.string(),
  disk_quota_mb: z.number(),
  bandwidth_quota_mb: z.number(),
  domains_limit: z.number(),
  databases_limit: z.number(),
  tokens_limit: z.number(),
  backups_limit: z.number(),
  processes_limit: z.number(),
  memory_limit_mb: z.number(),
  accounts: z.number(),
})

/** Field of the API, option as read, option as declared, least value, what it is. */
const LIMITS = [
  ['disk_quota_mb', 'diskQuota', '--disk-quota <mb>', 1, 'megabytes of disk'],
  ['bandwidth_quota_mb', 'bandwidthQuota', '--bandwidth-quota <mb>', 1, 'megabytes a month'],
  ['domains_limit', 'domains', '--domains <count>', 1, 'of every type, the primary one too'],
  ['databases_limit', 'databases', '--databases <count>', 0, 'databases'],
  ['tokens_limit', 'tokens', '--tokens <count>', 0, 'API tokens'],
  ['backups_limit', 'backups', '--backups <count>', 0, 'backups on this host'],
  ['processes_limit', 'processes', '--processes <count>', 1, 'processes and threads'],
  ['memory_limit_mb', 'memory', '--memory <mb>', 1, 'megabytes of memory'],
] as const

const limitOptions = (required: boolean): OptionSpec[] =>
  LIMITS.map(([, , flags, , text]) => [flags, text, { required }])

const limitsOf = (options: CommandOptions): Record<string, number | undefined> =>
  Object.fromEntries(LIMITS.map(([field, name, , least]) => [field, options.number(name, least)]))

const PLAN = ['<plan>', 'its name'] as const

const create: CommandSpec = {
  name: 'create',
  summary: 'make a plan',
  args: [['<plan>', 'its name: 2 to 32 of a-z, 0-9, - and _']],
  options: limitOptions(true),
  examples: [
    'berth plans create gold --disk-quota 20000 --bandwidth-quota 500000 --domains 50 --databases 50 --tokens 20 --backups 30 --processes 150 --memory 4096',
  ],
  async run({ panel, args: [name], options, print }) {
    const body = given({ name, ...limitsOf(options) })
    const data = await panel.call('POST', '/api/plans', { body })
    print(data, () => showRecord(data))
  },
}

const update: CommandSpec = {
  name: 'update',
  summary: 'change the limits of a plan',
  note: 'They hold for all its accounts from then on; what an account has above them stays.',
  args: [PLAN],
  options: limitOptions(false),
  examples: ['berth plans update free --domains 3 --memory 256'],
  async run({ panel, args: [name = ''], options, print }) {
    const flags = LIMITS.map(([, , declared]) => declared.split(' ')[0]).join(', ')
    const body = givenSome(limitsOf(options), flags)
    const data = await panel.call('PATCH', apiPath`/api/plans/${name}`, { body })
    print(data, () => showRecord(data))
  },
}

/** `berth plans …`. */
export const plans: ResourceSpec = {
  name: 'plans',
  alias: 'plan',
  summary: 'hosting plans: quotas and limits of accounts',
  commands: [
    listCommand({
      summary: 'list the plans',
      examples: ['berth plans list'],
      path: () => '/api/plans',
      row: rowSchema,
      columns: [
        { title: 'PLAN', value: ({ name }) => name },
        { title: 'DISK MB', value: (row) => row.disk_quota_mb, right: true },
        { title: 'TRAFFIC MB', value: (row) => row.bandwidth_quota_mb, right: true },
        { title: 'DOMAINS', value: (row) => row.domains_limit, right: true },
        { title: 'DATABASES', value: (row) => row.databases_limit, right: true },
        { title: 'TOKENS', value: (row) => row.tokens_limit, right: true },
        { title: 'BACKUPS', value: (row) => row.backups_limit, right: true },
        { title: 'PROCESSES', value: (row) => row.processes_limit, right: true },
        { title: 'MEMORY MB', value: (row) => row.memory_limit_mb, right: true },
        { title: 'ACCOUNTS', value: (row) => row.accounts, right: true },
      ],
      empty: 'There are no plans.',
    }),
    {
      name: 'show',
      summary: 'show a plan',
      args: [PLAN],
      examples: ['berth plans show free'],
      async run({ panel, args: [name = ''], print }) {
        const data = await panel.call('GET', apiPath`/api/plans/${name}`)
        print(data, () => showRecord(data))
      },
    },
    create,
    update,
    {
      name: 'delete',
      summary: 'delete a plan that no account has',
      args: [PLAN],
      options: [['--yes', 'do not ask to type the name']],
      examples: ['berth plans delete gold --yes'],
      async run({ panel, args: [name = ''], options, print }) {
        await confirmByName(`Deleting plan ${name}`, name, options.isOn('yes'))
        const data = await panel.call('DELETE', apiPath`/api/plans/${name}`)
        print(data, () => console.log(`Plan ${name} was deleted.`))
      },
    },
  ],
}
