import type { z } from 'zod'
import type { sftpUserSchema } from '#handlers/panel/sftp/schema.ts'
import { CliError } from '../cli-error.ts'
import { given, givenSome } from './frame/command-options.ts'
import type { OptionSpec, ResourceSpec } from './frame/command-types.ts'
import { knownRows } from './frame/known.ts'
import { listCommand } from './frame/list-command.ts'
import { ACCOUNT, findAccount } from './frame/lookup.ts'
import { api, apiPath, type PanelClient } from './frame/panel-client.ts'

type User = z.output<typeof sftpUserSchema>

const USER = ['<user>', 'name, as berth sftp-users list shows it, or what follows the _'] as const
const FOLDER: OptionSpec = ['--folder <path>', 'below the home, e.g. public_html/shop']
const RIGHTS: OptionSpec = [
  '--read-only <yes>',
  'on: it changes nothing',
  { choices: ['on', 'off'] },
]

/** A user of an account by its name, whole or without the account's. */
export const findSftpUser = async (
  panel: PanelClient,
  account: string | undefined,
  name = '',
): Promise<User> => {
  const { id } = await findAccount(panel, account)
  const data = await panel.call('GET', apiPath`/api/sftp-users/${id}`)
  const found = knownRows<User>(data, 'id', 'account_id', 'name', 'username').find(
    (user) => user.name === name || user.name === `${user.username}_${name}`,
  )
  if (found !== undefined) return found
  throw new CliError(
    `The account has no SFTP user "${name}". See: berth sftp-users list ${account ?? ''}`,
  )
}

const onOff = (text: string | undefined): boolean | undefined =>
  text === undefined ? undefined : text === 'on'

/** `berth sftp-users …`: users of accounts for one folder each. */
export const sftpUsers: ResourceSpec = {
  name: 'sftp-users',
  summary: 'SFTP users for one folder of an account',
  commands: {
    list: listCommand<User>({
      summary: 'list the SFTP users of an account, or of all',
      args: [['[account]', 'username or number; default: all accounts']],
      examples: ['berth sftp-users list alice'],
      path: async ({ panel, args: [name = ''] }) =>
        name === ''
          ? '/api/sftp-users'
          : apiPath`/api/sftp-users/${(await findAccount(panel, name)).id}`,
      sortable: ['name', 'folder', 'created_at'],
      columns: [
        ['NAME', 'name'],
        ['FOLDER', 'folder'],
        ['PASSWORD', 'passwords'],
        ['KEYS', 'keys', 'right'],
        ['READ ONLY', 'read_only'],
        ['PROBLEM', 'problem'],
      ],
      empty: 'There are no SFTP users. Add one: berth sftp-users create',
    }),
    create: {
      summary: 'add an SFTP user for one folder of an account',
      note: 'It logs in as <account>_<name>, sees the folder as /files and nothing else. Without --password, keys alone open it: berth ssh-keys add --user.',
      args: [ACCOUNT, ['<name>', '1-15 letters and digits'], ['<folder>', FOLDER[1]]],
      options: [['--password <password>', 'its own'], RIGHTS],
      examples: ['berth sftp-users create alice web public_html/shop --read-only on'],
      order: async ({ panel, args: [account, name, folder], options }) => ({
        to: api`POST /api/sftp-users`,
        body: given({
          account_id: (await findAccount(panel, account)).id,
          name,
          folder,
          password: options.text('password'),
          read_only: onOff(options.text('readOnly')),
        }),
      }),
    },
    update: {
      summary: 'change the folder, password or rights of an SFTP user',
      args: [ACCOUNT, USER],
      options: [
        FOLDER,
        ['--password <password>', 'another one'],
        ['--no-password', 'keys alone'],
        RIGHTS,
      ],
      examples: ['berth sftp-users update alice web --folder public_html/new'],
      async order({ panel, args: [account, name], options }) {
        const off = options.flag('password') === false
        const body = givenSome(
          {
            folder: options.text('folder'),
            password: off ? null : options.text('password'),
            read_only: onOff(options.text('readOnly')),
          },
          '--folder, --password, --no-password, --read-only',
        )
        const { account_id: owner, id } = await findSftpUser(panel, account, name)
        return { to: api`PATCH /api/sftp-users/${owner}/${id}`, body }
      },
    },
    delete: {
      summary: 'remove an SFTP user',
      args: [ACCOUNT, USER],
      confirms: 'name',
      examples: ['berth sftp-users delete alice web'],
      async order({ panel, args: [account, name] }) {
        const user = await findSftpUser(panel, account, name)
        return {
          to: api`DELETE /api/sftp-users/${user.account_id}/${user.id}`,
          confirm: [`Removing SFTP user ${user.name}`, user.name],
          done: `SFTP user ${user.name} was removed.`,
        }
      },
    },
  },
}
