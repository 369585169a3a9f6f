import { z } from 'zod'
import { confirmByName } from '../terminal/confirm.ts'
import { formatBytes } from '../terminal/format.ts'
import { newPassword } from '../terminal/password.ts'
import { given } from './frame/command-options.ts'
import type { CommandSpec, OptionSpec, ResourceSpec } from './frame/command-spec.ts'
import { listCommand } from './frame/list-command.ts'
import { findAccount } from './frame/lookup.ts'
import { apiPath } from './frame/panel-client.ts'
import { PASSWORD_OPTIONS, readPasswordOptions, showPassword } from './access/password-options.ts'
import { showRecord } from './frame/show-record.ts'

const ACCOUNT = ['<account>', 'username or number'] as const
const NAME = ['<database>', "name, with or without the account's prefix"] as const
const ENGINES = ['mysql', 'mariadb', 'postgresql', 'postgres'] as const
const WHICH: OptionSpec = [
  '--engine <engine>',
  'needed where two servers have a database of this name',
  { choices: ENGINES },
]

const create: CommandSpec = {
  name: 'create',
  summary: 'create a database with a user of its own',
  note: 'The password is asked for, unless --password-stdin or --generate-password is given.',
  args: [
    ACCOUNT,
    ['<database>', "1 to 32 of a-z, 0-9 and _; the account's prefix is put before it"],
  ],
  options: [
    ['--engine <engine>', 'the server', { choices: ENGINES, preset: 'mysql' }],
    ['--user <name>', "default: the database's name"],
    ...PASSWORD_OPTIONS,
  ],
  examples: ['berth databases create alice shop --generate-password'],
  async run({ panel, args: [name = '', database = ''], options, print }) {
    const { id } = await findAccount(panel, name)
    const secret = await newPassword(readPasswordOptions(options))
    const data = await panel.call('POST', '/api/databases', {
      body: given({
        account_id: id,
        db_name: database,
        db_user: options.text('user'),
        db_password: secret.password,
        engine: options.text('engine'),
      }),
    })
    print(showPassword.data(data, secret), () => {
      showRecord(data)
      showPassword.line(secret)
    })
  },
}

const password: CommandSpec = {
  name: 'password',
  summary: "set a new password of a database's user",
  args: [ACCOUNT, NAME],
  options: [WHICH, ...PASSWORD_OPTIONS],
  examples: ['berth databases password alice shop --generate-password'],
  async run({ panel, args: [name = '', database = ''], options, print }) {
    const { id } = await findAccount(panel, name)
    const secret = await newPassword(readPasswordOptions(options))
    const data = await panel.call('PATCH', apiPath`/api/databases/${id}/${database}`, {
      query: { engine: options.text('engine') },
      body: { db_password: secret.password },
    })
    print(showPassword.data(data, secret), () => {
      showRecord(data)
      showPassword.line(secret)
    })
  },
}

const remove: CommandSpec = {
  name: 'delete',
  summary: 'drop a database and its user',
  args: [ACCOUNT, NAME],
  options: [WHICH, ['--yes', 'do not ask to type the name']],
  examples: ['berth databases delete alice shop'],
  async run({ panel, args: [name = '', database = ''], options, print }) {
    const { id, username } = await findAccount(panel, name)
    const what = `Dropping database ${database} of ${username}`
    await confirmByName(what, database, options.isOn('yes'))
    const data = await panel.call('DELETE', apiPath`/api/databases/${id}/${database}`, {
      query: { engine: options.text('engine') },
    })
    print(data, () => console.log(`Database ${database} of ${username} was dropped.`))
  },
}

/** `berth databases …`. */
export const databases: ResourceSpec = {
  name: 'databases',
  alias: 'database',
  summary: 'databases of accounts',
  commands: [
    listCommand({
      name: 'engines',
      summary: 'list the database servers',
      examples: ['berth databases engines'],
      path: () => '/api/databases/engines',
      row: z.object({
        engine: z.string(),
        version: z.string(),
        running: z.boolean(),
        host: z.string(),
      }),
      columns: [
        { title: 'ENGINE', value: ({ engine }) => engine },
        { title: 'VERSION', value: ({ version }) => version },
        { title: 'RUNNING', value: ({ running }) => running },
        { title: 'HOST', value: ({ host }) => host },
      ],
      empty: 'No database server is installed.',
    }),
    listCommand({
      summary: 'list the databases of an account',
      args: [ACCOUNT],
      examples: ['berth databases list alice'],
      path: async ({ panel, args: [name = ''] }) =>
        apiPath`/api/databases/${(await findAccount(panel, name)).id}`,
      row: z.object({
        engine: z.string(),
        database: z.string(),
        user: z.string(),
        host: z.string(),
        size_bytes: z.number().nullable(),
        tables: z.number().nullable(),
      }),
      columns: [
        { title: 'DATABASE', value: ({ database }) => database },
        { title: 'ENGINE', value: ({ engine }) => engine },
        { title: 'USER', value: ({ user }) => user },
        { title: 'HOST', value: ({ host }) => host },
        { title: 'TABLES', value: ({ tables }) => tables, right: true },
        { title: 'SIZE', value: (row) => formatBytes(row.size_bytes), right: true },
      ],
      empty: 'The account has no databases. Create one: berth databases create',
    }),
    create,
    password,
    remove,
  ],
}
