import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import type {
  listedSshKeySchema,
  sftpAccessSchema,
  sftpLoginSchema,
} from '#handlers/panel/sftp/schema.ts'
import { CliError } from '../cli-error.ts'
import { printable } from '../terminal/printable.ts'
import { findApplication } from './applications/find-application.ts'
import { given, givenSome, type CommandOptions } from './frame/command-options.ts'
import type { OptionSpec, ResourceSpec } from './frame/command-types.ts'
import { known, knownRows } from './frame/known.ts'
import { listCommand } from './frame/list-command.ts'
import { ACCOUNT, findAccount } from './frame/lookup.ts'
import { findSftpUser } from './sftp-users.ts'
import { api, apiPath, type PanelClient } from './frame/panel-client.ts'

type Key = z.output<typeof listedSshKeySchema>
type Login = z.output<typeof sftpLoginSchema>
type Access = z.output<typeof sftpAccessSchema>

const KEY = ['<key>', 'name, number or fingerprint, as berth ssh-keys list shows it'] as const
const ACCESS = ['read', 'write'] as const
const END: OptionSpec = ['--expires <when>', 'UTC, e.g. 2027-01-31; it opens nothing from then on']

/** A key by its number, fingerprint or name, which then must be that of one key alone. */
const findKey = async (panel: PanelClient, account: string | undefined, key = ''): Promise<Key> => {
  const { id } = await findAccount(panel, account)
  const data = await panel.call('GET', apiPath`/api/ssh-keys/${id}`)
  const found = knownRows<Key>(data, 'id', 'account_id', 'name', 'fingerprint').filter(
    (row) => String(row.id) === key || row.name === key || row.fingerprint === key,
  )
  const [first] = found
  if (first !== undefined && found.length === 1) return first
  throw new CliError(
    first === undefined
      ? `The account has no SSH key "${key}". See: berth ssh-keys list ${account ?? ''}`
      : `Several SSH keys are called "${key}". Say which by its number.`,
  )
}

const publicKeyOf = (options: CommandOptions): string => {
  const [line, file] = [options.text('key'), options.text('file')]
  if ((line === undefined) === (file === undefined))
    throw new CliError('Give the key: either --file with its .pub file, or --key with its line.', 2)
  if (file === undefined) return line ?? ''
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').trim()
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${error instanceof Error ? error.message : ''}`)
  }
}

const shellOf = (access: Access): string => {
  if (access.shell) return 'yes, with rsync and scp'
  if (access.shell_problem !== null) return `none: ${printable(access.shell_problem)}`
  if (!access.shell_switch) return 'none'
  return 'none: its plan allows none'
}

const forWhat = ({ kind, failures }: Login): string =>
  failures > 0 ? `failed, ${failures}x` : (kind ?? 'unknown')

const show = (access: Access): void => {
  if (!access.available) {
    console.log(`There is no SFTP: ${printable(access.reason ?? '')}`)
    return
  }
  const port = access.ports[0] ?? 22
  const host = access.host ?? 'HOST'
  console.log(`Host:       ${access.host ?? 'the name that the panel is reached by'}`)
  const silent = access.silent_ports.length > 0
  console.log(
    `Port:       ${access.ports.map((one) => (access.silent_ports.includes(one) ? `${one} (nobody listens)` : one)).join(', ')}`,
  )
  console.log(`User:       ${access.username}`)
  console.log(`Password:   ${access.passwords ? 'that of the account' : 'off; keys alone'}`)
  console.log(`Begins in:  ${access.home ?? ''}`)
  for (const { type, fingerprint } of access.host_keys)
    console.log(`Host key:   ${printable(type)} ${printable(fingerprint)}`)
  console.log(`Shell:      ${shellOf(access)}`)
  console.log(`Connect:    sftp -P ${port} ${access.username}@${host}`)
  if (access.shell) console.log(`            ssh -p ${port} ${access.username}@${host}`)
  if (silent)
    console.error(
      'The sshd of this host does not run, or not with these ports: berth doctor tells what to do.',
    )
}

/** `berth sftp …`: how accounts are reached. */
export const sftp: ResourceSpec = {
  name: 'sftp',
  summary: 'SFTP of accounts',
  commands: {
    show: {
      summary: 'show how an account is reached over SFTP',
      args: [ACCOUNT],
      examples: ['berth sftp show alice'],
      order: async ({ panel, args: [account] }) => ({
        to: api`GET /api/sftp/${(await findAccount(panel, account)).id}`,
        done: (data) => show(known<Access>(data, 'available', 'ports', 'username')),
      }),
    },
    logins: listCommand<Login>({
      summary: 'list who logged in to an account over SFTP, or to any, or tried to',
      args: [['[account]', 'username or number; default: all accounts']],
      note: 'The newest first. Kept are the newest 200 of each account, and as many attempts that failed, for 90 days.',
      options: [
        ['--outcome <which>', 'only who came in, or what failed', { choices: ['in', 'failed'] }],
      ],
      examples: [
        'berth sftp logins alice',
        'berth sftp logins --q 192.0.2.7',
        'berth sftp logins --outcome failed',
      ],
      query: ({ options }) => options.texts('outcome'),
      path: async ({ panel, args: [name = ''] }) =>
        name === ''
          ? '/api/sftp-logins'
          : apiPath`/api/sftp-logins/${(await findAccount(panel, name)).id}`,
      sortable: ['began_at', 'ended_at', 'login', 'address'],
      columns: [
        ['USER', 'login'],
        ['ADDRESS', 'address'],
        ['FROM (UTC)', 'began_at'],
        ['FOR', 'kind', null, forWhat],
        ['UNTIL (UTC)', 'ended_at', null, ({ ended_at }) => ended_at ?? 'still in'],
        ['BY', 'way', null, ({ way, key_name }) => (key_name === null ? way : `key ${key_name}`)],
        ['FINGERPRINT', 'fingerprint'],
        ['CHANGES', 'changes', 'right'],
      ],
      empty: 'Nobody has logged in yet.',
    }),
    update: {
      summary: "say whether an account's password opens it over SFTP",
      args: [ACCOUNT],
      options: [
        ['--passwords <yes>', 'on, or off: keys alone', { choices: ['on', 'off'], required: true }],
      ],
      examples: ['berth sftp update alice --passwords off'],
      order: async ({ panel, args: [account], options }) => ({
        to: api`PATCH /api/sftp/${(await findAccount(panel, account)).id}`,
        body: { passwords: options.text('passwords') === 'on' },
        done: (data) => show(known<Access>(data, 'available', 'ports', 'username')),
      }),
    },
    shell: {
      summary: 'give an account a shell, or take it',
      note: 'Only where its plan allows it: berth plans update <plan> --shells 1. What is taken ends at once, with all that runs there.',
      args: [ACCOUNT, ['<yes>', 'on or off']],
      examples: ['berth sftp shell alice on', 'berth sftp shell alice off'],
      async order({ panel, args: [account, yes = ''] }) {
        if (yes !== 'on' && yes !== 'off') throw new CliError('Say on or off.', 2)
        return {
          to: api`PATCH /api/sftp/${(await findAccount(panel, account)).id}/shell`,
          body: { shell: yes === 'on' },
          done: (data) => show(known<Access>(data, 'available', 'ports', 'username')),
        }
      },
    },
  },
}

/** What a key opens: the name that one logs in as, and the repository where it is for one alone. */
const opens = ({ login, application, access }: Key): string =>
  application === null ? login : `${login}, ${application}.git to ${access ?? 'read'}`

/** `berth ssh-keys …`: the keys that open accounts. */
export const sshKeys: ResourceSpec = {
  name: 'ssh-keys',
  summary: 'SSH keys of accounts',
  commands: {
    list: listCommand<Key>({
      summary: 'list the SSH keys of an account, or of all',
      args: [['[account]', 'username or number; default: all accounts']],
      examples: ['berth ssh-keys list alice'],
      path: async ({ panel, args: [name = ''] }) =>
        name === ''
          ? '/api/ssh-keys'
          : apiPath`/api/ssh-keys/${(await findAccount(panel, name)).id}`,
      sortable: ['name', 'type', 'expires_at', 'created_at', 'last_used_at'],
      columns: [
        ['ID', 'id', 'right'],
        ['OPENS', 'login', null, opens],
        ['NAME', 'name'],
        ['TYPE', 'type'],
        ['FINGERPRINT', 'fingerprint'],
        ['EXPIRES (UTC)', 'expires_at'],
        ['ADDED (UTC)', 'created_at'],
        ['LAST USED (UTC)', 'last_used_at'],
      ],
      empty: 'There are no SSH keys. Add one: berth ssh-keys add',
    }),
    add: {
      summary: 'add an SSH key to an account',
      note: 'It opens the account over SFTP: its home and nothing else, and its shell if it has one. With --application it opens the repository of that application with git, and nothing beside it.',
      args: [ACCOUNT, ['<name>', 'whose it is, or where it lies']],
      options: [
        ['--file <path>', 'the .pub file; - is standard input'],
        ['--key <line>', 'the line of a .pub file'],
        ['--user <name>', 'an SFTP user for one folder that it is to open'],
        ['--application <name>', 'an application whose repository alone it is to open'],
        [
          '--access <which>',
          'at that repository: read, or write to push, too',
          { choices: ACCESS },
        ],
        END,
      ],
      examples: [
        'berth ssh-keys add alice laptop --file ~/.ssh/id_ed25519.pub',
        'berth ssh-keys add alice agency --file agency.pub --expires 2027-01-31',
        'berth ssh-keys add alice ci --file ci.pub --application shop --access write',
      ],
      order: async ({ panel, args: [account, name], options }) => ({
        to: api`POST /api/ssh-keys`,
        body: given({
          name,
          public_key: publicKeyOf(options),
          expires_at: options.text('expires'),
          account_id: (await findAccount(panel, account)).id,
          sftp_user_id:
            options.text('user') === undefined
              ? undefined
              : (await findSftpUser(panel, account, options.text('user'))).id,
          application_id:
            options.text('application') === undefined
              ? undefined
              : (await findApplication(panel, account, options.text('application'))).id,
          access: options.text('access'),
        }),
      }),
    },
    update: {
      summary: 'change the name, the end or the access of an SSH key',
      args: [ACCOUNT, KEY],
      options: [
        ['--name <name>', 'another name'],
        END,
        ['--no-expiry', 'it does not expire'],
        [
          '--access <which>',
          'of one for a repository alone: read, or write to push, too',
          { choices: ACCESS },
        ],
      ],
      examples: ['berth ssh-keys update alice laptop --expires 2027-01-31'],
      async order({ panel, args: [account, key], options }) {
        const expires = options.flag('expiry') === false ? null : options.text('expires')
        const body = givenSome(
          { name: options.text('name'), expires_at: expires, access: options.text('access') },
          '--name, --expires, --no-expiry, --access',
        )
        const { account_id: owner, id } = await findKey(panel, account, key)
        return { to: api`PATCH /api/ssh-keys/${owner}/${id}`, body }
      },
    },
    delete: {
      summary: 'remove an SSH key',
      args: [ACCOUNT, KEY],
      confirms: 'name',
      examples: ['berth ssh-keys delete alice laptop'],
      async order({ panel, args: [account, name] }) {
        const key = await findKey(panel, account, name)
        return {
          to: api`DELETE /api/ssh-keys/${key.account_id}/${key.id}`,
          confirm: [`Removing SSH key ${key.name} of ${key.username}`, key.name],
          done: `SSH key ${key.name} of ${key.username} was removed.`,
        }
      },
    },
  },
}
