import type { z } from 'zod'
import type { databaseUserSchema } from '#handlers/panel/databases/schema.ts'
import { CliError } from '../cli-error.ts'
import { given, type CommandOptions } from './frame/command-options.ts'
import type { OptionSpec, ResourceSpec } from './frame/command-types.ts'
import { ENGINES, WHICH } from './frame/database-arguments.ts'
import { listCommand } from './frame/list-command.ts'
import { ACCOUNT, findAccount } from './frame/lookup.ts'
import { api, apiPath } from './frame/panel-client.ts'

const USER = ['<user>', "name, with or without the account's prefix"] as const
const GRANT: OptionSpec = [
  '--grant <database:rights>',
  'read, write (no tables are made or changed) or all in a database, e.g. shop:read; repeatable',
  { repeatable: true, required: true },
]

/** `shop:read` as the API takes it; whether there is such a database is for the API to say. */
const grantsOf = (options: CommandOptions) =>
  options.list('grant')?.map((text) => {
    const at = text.lastIndexOf(':')
    const [database, rights] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)]
    if (database === '' || !['read', 'write', 'all'].includes(rights))
      throw new CliError(
        `--grant must be a database and read, write or all, as in shop:read, but is "${text}".`,
        2,
      )
    return { database, rights }
  })

/** `berth database-users …`. */
export const databaseUsers: ResourceSpec = {
  name: 'database-users',
  alias: 'database-user',
  summary: 'further users of databases, with rights of their own',
  commands: {
    list: listCommand<z.output<typeof databaseUserSchema>>({
      summary: "list the further users of an account's databases",
      args: [ACCOUNT],
      examples: ['berth database-users list alice'],
      path: async ({ panel, args: [name] }) =>
        apiPath`/api/database-users/${(await findAccount(panel, name)).id}`,
      columns: [
        ['USER', 'user'],
        ['ENGINE', 'engine'],
        [
          'DATABASES',
          'databases',
          null,
          ({ databases }) =>
            databases.map(({ database, rights }) => `${database}:${rights}`).join(' '),
        ],
        ['CREATED', 'created_at'],
      ],
      empty: 'The databases have their own users alone. Make another: berth database-users create',
    }),
    create: {
      summary: 'make a further user of databases',
      note: 'The password is asked for, unless --password-stdin or --generate-password is given.',
      args: [
        ACCOUNT,
        ['<name>', "1 to 32 of a-z, 0-9 and _; the account's prefix is put before it"],
      ],
      options: [
        GRANT,
        ['--engine <engine>', 'the server of the databases', { choices: ENGINES, preset: 'mysql' }],
      ],
      password: 'password',
      examples: ['berth database-users create alice report --grant shop:read --generate-password'],
      order: async ({ panel, args: [account, name], options }) => ({
        to: api`POST /api/database-users`,
        body: given({
          account_id: (await findAccount(panel, account)).id,
          name,
          engine: options.text('engine'),
          databases: grantsOf(options),
        }),
      }),
    },
    rights: {
      summary: 'set what a further user may do, in place of what it might before',
      args: [ACCOUNT, USER],
      options: [GRANT, WHICH],
      examples: ['berth database-users rights alice report --grant shop:write --grant blog:read'],
      order: async ({ panel, args: [account, user], options }) => ({
        to: api`PATCH /api/database-users/${(await findAccount(panel, account)).id}/${user}`,
        query: options.texts('engine'),
        body: given({ databases: grantsOf(options) }),
      }),
    },
    password: {
      summary: 'set a new password of a further user',
      args: [ACCOUNT, USER],
      options: [WHICH],
      password: 'password',
      examples: ['berth database-users password alice report --generate-password'],
      order: async ({ panel, args: [account, user], options }) => ({
        to: api`PATCH /api/database-users/${(await findAccount(panel, account)).id}/${user}`,
        query: options.texts('engine'),
      }),
    },
    rename: {
      summary: 'give a further user another name',
      args: [ACCOUNT, USER, ['<name>', 'the new name, without prefix']],
      options: [WHICH],
      examples: ['berth database-users rename alice report figures'],
      order: async ({ panel, args: [account, user, name], options }) => ({
        to: api`PATCH /api/database-users/${(await findAccount(panel, account)).id}/${user}`,
        query: options.texts('engine'),
        body: { name },
      }),
    },
    delete: {
      summary: 'drop a further user',
      args: [ACCOUNT, USER],
      options: [WHICH],
      confirms: 'name',
      examples: ['berth database-users delete alice report'],
      async order({ panel, args: [account, user = ''], options }) {
        const { id, username } = await findAccount(panel, account)
        return {
          to: api`DELETE /api/database-users/${id}/${user}`,
          query: options.texts('engine'),
          confirm: [`Dropping database user ${user} of ${username}`, user],
          done: `Database user ${user} of ${username} was dropped.`,
        }
      },
    },
  },
}
