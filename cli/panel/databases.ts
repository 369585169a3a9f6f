import type { z } from 'zod'
import type {
  databaseSchema,
  engineSchema,
  listedDatabaseSchema,
  sizeOfDaySchema,
  slowQuerySchema,
} from '#handlers/panel/databases/schema.ts'
import { formatBytes } from '../terminal/format.ts'
import { databaseCopies } from './database-copies.ts'
import { given } from './frame/command-options.ts'
import type { ResourceSpec } from './frame/command-types.ts'
import { ENGINES, NAME, WHICH } from './frame/database-arguments.ts'
import { listCommand } from './frame/list-command.ts'
import { ACCOUNT, findAccount } from './frame/lookup.ts'
import { api, apiPath } from './frame/panel-client.ts'

/** `berth databases …`. */
export const databases: ResourceSpec = {
  name: 'databases',
  alias: 'database',
  summary: 'databases of accounts',
  commands: {
    engines: listCommand<z.output<typeof engineSchema>>({
      summary: 'list the database servers',
      examples: ['berth databases engines'],
      path: '/api/databases/engines',
      columns: [
        ['ENGINE', 'engine'],
        ['VERSION', 'version'],
        ['RUNNING', 'running'],
        ['HOST', 'host'],
      ],
      empty: 'No database server is installed.',
    }),
    list: listCommand<z.output<typeof databaseSchema>>({
      summary: 'list the databases of an account, with sizes of this moment',
      args: [ACCOUNT],
      examples: ['berth databases list alice'],
      path: async ({ panel, args: [name] }) =>
        apiPath`/api/databases/${(await findAccount(panel, name)).id}`,
      columns: [
        ['DATABASE', 'database'],
        ['ENGINE', 'engine'],
        ['USER', 'user'],
        ['HOST', 'host'],
        ['TABLES', 'tables', 'right'],
        ['SIZE', 'size_bytes', 'right', (row) => formatBytes(row.size_bytes)],
      ],
      empty: 'The account has no databases. Create one: berth databases create',
    }),
    'list-all': listCommand<z.output<typeof listedDatabaseSchema>>({
      summary: 'list the databases of all accounts, with sizes as noted once a day',
      options: [['--engine <engine>', 'only those of this server', { choices: ENGINES }]],
      examples: ['berth databases list-all --sort size_bytes --order desc'],
      path: '/api/databases',
      query: ({ options }) => options.texts('engine'),
      sortable: ['database', 'user', 'engine', 'username', 'size_bytes', 'created_at'],
      columns: [
        ['ACCOUNT', 'username'],
        ['DATABASE', 'database'],
        ['ENGINE', 'engine'],
        ['USER', 'user'],
        ['SIZE', 'size_bytes', 'right', (row) => formatBytes(row.size_bytes)],
        ['CREATED', 'created_at'],
      ],
      empty: 'There are no databases. Create one: berth databases create',
    }),
    create: {
      summary: 'create a database with a user of its own',
      note: 'The password is asked for, unless --password-stdin or --generate-password is given.',
      args: [
        ACCOUNT,
        ['<database>', "1 to 32 of a-z, 0-9 and _; the account's prefix is put before it"],
      ],
      options: [
        ['--engine <engine>', 'the server', { choices: ENGINES, preset: 'mysql' }],
        ['--user <name>', "default: the database's name"],
      ],
      password: 'db_password',
      examples: ['berth databases create alice shop --generate-password'],
      order: async ({ panel, args: [name, database], options }) => ({
        to: api`POST /api/databases`,
        body: given({
          account_id: (await findAccount(panel, name)).id,
          db_name: database,
          db_user: options.text('user'),
          engine: options.text('engine'),
        }),
      }),
    },
    password: {
      summary: "set a new password of a database's user",
      args: [ACCOUNT, NAME],
      options: [WHICH],
      password: 'db_password',
      examples: ['berth databases password alice shop --generate-password'],
      order: async ({ panel, args: [name, database], options }) => ({
        to: api`PATCH /api/databases/${(await findAccount(panel, name)).id}/${database}`,
        query: options.texts('engine'),
      }),
    },
    'rename-user': {
      summary: "give a database's user another name",
      note: 'Applications that log in need the new name. The database keeps its own.',
      args: [ACCOUNT, NAME, ['<user>', 'the new name of the user, without prefix']],
      options: [WHICH],
      examples: ['berth databases rename-user alice shop seller'],
      order: async ({ panel, args: [name, database, user], options }) => ({
        to: api`PATCH /api/databases/${(await findAccount(panel, name)).id}/${database}`,
        query: options.texts('engine'),
        body: { db_user: user },
      }),
    },
    sizes: listCommand<z.output<typeof sizeOfDaySchema>>({
      summary: 'show how large a database was, day by day',
      note: 'Noted once a day (UTC) and kept for 400 days.',
      args: [ACCOUNT, NAME],
      options: [WHICH],
      examples: ['berth databases sizes alice shop'],
      path: async ({ panel, args: [name, database] }) =>
        apiPath`/api/databases/${(await findAccount(panel, name)).id}/${database}/sizes`,
      query: ({ options }) => options.texts('engine'),
      columns: [
        ['DAY', 'day'],
        ['SIZE', 'size_bytes', 'right', (row) => formatBytes(row.size_bytes)],
      ],
      empty: 'Nothing is noted yet: that happens once a day.',
    }),
    slow: listCommand<z.output<typeof slowQuerySchema>>({
      summary: 'show what took long in a database',
      note: 'Statements of more than two seconds since the host was started, with ? in place of values.',
      args: [ACCOUNT, NAME],
      options: [WHICH],
      examples: ['berth databases slow alice shop'],
      path: async ({ panel, args: [name, database] }) =>
        apiPath`/api/databases/${(await findAccount(panel, name)).id}/${database}/slow-queries`,
      query: ({ options }) => options.texts('engine'),
      columns: [
        ['COUNT', 'count', 'right'],
        ['LONGEST', 'longest_ms', 'right', (row) => `${(row.longest_ms / 1000).toFixed(1)} s`],
        ['SUM', 'total_ms', 'right', (row) => `${(row.total_ms / 1000).toFixed(1)} s`],
        ['LAST', 'last_at'],
        ['USER', 'user'],
        ['STATEMENT', 'statement'],
      ],
      empty: 'Nothing took long since the host was started.',
    }),
    ...databaseCopies,
    delete: {
      summary: 'drop a database and its user',
      args: [ACCOUNT, NAME],
      options: [WHICH],
      confirms: 'name',
      examples: ['berth databases delete alice shop'],
      async order({ panel, args: [name, database = ''], options }) {
        const { id, username } = await findAccount(panel, name)
        return {
          to: api`DELETE /api/databases/${id}/${database}`,
          query: options.texts('engine'),
          confirm: [`Dropping database ${database} of ${username}`, database],
          done: `Database ${database} of ${username} was dropped.`,
        }
      },
    },
  },
}
