import type { z } from 'zod'
import type {
  keptTargetSchema,
  remoteTargetSchema,
  serverKeySchema,
  targetTrialSchema,
} from '#handlers/panel/backups/schema.ts'
import { CliError } from '../../cli-error.ts'
import { askHidden } from '../../read-password.ts'
import { readText } from '../../recovery/read-secret.ts'
import { askLine } from '../../terminal/confirm.ts'
import { printable } from '../../terminal/printable.ts'
import type { CommandOptions } from '../frame/command-options.ts'
import { given, givenSome } from '../frame/command-options.ts'
import type { OptionSpec, ResourceSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { listCommand } from '../frame/list-command.ts'
import { api, type PanelClient } from '../frame/panel-client.ts'

type Kept = z.output<typeof keptTargetSchema>
type Trial = z.output<typeof targetTrialSchema>
type ServerKey = z.output<typeof serverKeySchema>

const NAME = ['<name>', 'name of the target'] as const
const SETTINGS: readonly OptionSpec[] = [
  ['--bucket <name>', 'S3: the bucket, which must be there'],
  ['--region <name>', 'S3: default us-east-1'],
  ['--access-key-id <id>', 'S3'],
  ['--username <name>', 'SFTP'],
  ['--path <path>', 'directory on the server, or what keys of the bucket begin with'],
  ['--host-key <fingerprint>', 'SFTP: SHA256:…; without it the server is asked, and you are'],
  ['--secret-key-file <file>', 'S3: the secret key; - is standard input'],
  ['--password-file <file>', 'SFTP: the password; - is standard input'],
  ['--private-key-file <file>', 'SFTP: a private key without passphrase; - is standard input'],
  ['--default', 'copies go there when nothing else is said'],
  ['--allow-private', 'it may lie in a private network, S3 also without TLS'],
]

const SECRETS = ['secret_key', 'password', 'private_key'] as const
const OPTION_OF = {
  secret_key: 'secretKeyFile',
  password: 'passwordFile',
  private_key: 'privateKeyFile',
} as const

/** The secret of the command line's files; none where none is named. */
const secretOf = async (options: CommandOptions): Promise<Record<string, string>> => {
  const named = SECRETS.filter((name) => options.text(OPTION_OF[name]) !== undefined)
  const [name] = named
  if (name === undefined) return {}
  if (named.length > 1)
    throw new CliError('Give one of --secret-key-file, --password-file and --private-key-file.', 2)
  const content = await readText(options.text(OPTION_OF[name]) ?? '')
  return { [name]: name === 'private_key' ? content : (content.split(/\r?\n/)[0] ?? '') }
}

const askSecret = async (type: string): Promise<Record<string, string>> => {
  const [name, words] = type === 's3' ? ['secret_key', 'Secret key: '] : ['password', 'Password: ']
  if (!process.stdin.isTTY)
    throw new CliError(
      'There is no terminal to ask for the secret. Give --secret-key-file, --password-file or --private-key-file; - is standard input.',
      2,
    )
  return { [name]: await askHidden(words) }
}

const settingsOf = (options: CommandOptions): Record<string, unknown> =>
  given<unknown>({
    bucket: options.text('bucket'),
    region: options.text('region'),
    access_key_id: options.text('accessKeyId'),
    username: options.text('username'),
    path: options.text('path'),
    host_key: options.text('hostKey'),
    is_default: options.flag('default'),
    allow_private: options.flag('allowPrivate'),
  })

/** Asks the server for its key, and a person whether it is the right one. */
const confirmedKey = async (
  panel: PanelClient,
  endpoint: string,
  allowPrivate: boolean,
): Promise<string> => {
  const body = { endpoint, allow_private: allowPrivate }
  const data = await panel.call('POST', '/api/backups/remote-targets/host-key', { body })
  const { type, fingerprint } = known<ServerKey>(data, 'type', 'fingerprint')
  const shown = `${printable(endpoint)} shows this key: ${printable(type)} ${printable(fingerprint)}`
  if (!process.stdin.isTTY)
    throw new CliError(
      `${shown}. Compare it with what its operator says, then give it: --host-key ${printable(fingerprint)}`,
      2,
    )
  console.error(`${shown}\nCompare it with what the operator of the server says.`)
  if ((await askLine('Type "yes" if it is the same: ')).trim() !== 'yes')
    throw new CliError('The key was not confirmed. Nothing was changed.')
  return fingerprint
}

const limits = ({ can_list: lists, can_remove: removes }: Trial): void => {
  if (!lists) console.log('Note: its files cannot be listed, so archives there cannot be found.')
  if (!removes)
    console.log('Note: files there cannot be removed, so old copies stay until their owner does.')
}
const told =
  (what: string) =>
  (data: unknown): void => {
    const { target, trial } = known<Kept>(data, 'target', 'trial')
    console.log(`${target.name} was tried and ${what}.`)
    limits(trial)
    if (what === 'set up')
      console.log(
        'A recovery kit made before does not tell it: note it down there, or make another kit and an export for it (berth panel recovery-kit --new).',
      )
  }

/** `berth targets …`. */
export const targets: ResourceSpec = {
  name: 'targets',
  alias: 'target',
  summary: 'where copies of backups are kept elsewhere',
  commands: {
    list: listCommand<z.output<typeof remoteTargetSchema>>({
      summary: 'list the remote targets',
      note: 'Those set up here (panel), and those of berth.toml, each a [[remote_target]] (configuration).',
      examples: ['berth targets list'],
      path: '/api/backups/remote-targets',
      columns: [
        ['NAME', 'name'],
        ['TYPE', 'type'],
        ['ENDPOINT', 'endpoint'],
        ['BUCKET', 'bucket'],
        ['PATH', 'path'],
        ['DEFAULT', 'is_default'],
        ['SET UP IN', 'source'],
      ],
      empty: 'There are no remote targets. Set one up: berth targets add',
    }),
    add: {
      summary: 'set up a remote target; a file is written there, read back and removed first',
      note: 'Secrets come from files, standard input or the terminal, never from the command line, which ps shows to all.',
      args: [NAME],
      options: [
        ['--type <type>', 'what it is', { choices: ['s3', 'sftp'], required: true }],
        [
          '--endpoint <address>',
          'URL of the S3 service; host or host:port of the SFTP server',
          { required: true },
        ],
        ...SETTINGS,
      ],
      examples: [
        'berth targets add offsite --type s3 --endpoint https://s3.example.com --bucket backups --path host-1 --access-key-id AKIA1 --secret-key-file /root/key --default',
        'berth targets add box --type sftp --endpoint box.example.com:22 --username backup --path /backups --private-key-file /root/.ssh/box',
      ],
      async order({ panel, args: [name], options }) {
        const type = options.text('type') ?? ''
        const endpoint = options.text('endpoint') ?? ''
        const secret = await secretOf(options)
        const settings = settingsOf(options)
        if (type === 'sftp' && settings['host_key'] === undefined)
          settings['host_key'] = await confirmedKey(panel, endpoint, options.isOn('allowPrivate'))
        const opens = Object.keys(secret).length === 0 ? await askSecret(type) : secret
        return {
          to: api`POST /api/backups/remote-targets`,
          body: { name, type, endpoint, ...settings, ...opens },
          done: told('set up'),
        }
      },
    },
    update: {
      summary: 'change a remote target; it is tried first',
      note: 'The secret stays when none is given, but for another endpoint, user, key id or host key.',
      args: [NAME],
      options: [
        ['--endpoint <address>', 'another address'],
        ...SETTINGS,
        ['--no-default', 'copies go there only when that is said'],
        ['--no-allow-private', 'it must lie in the internet'],
      ],
      examples: [
        'berth targets update offsite --secret-key-file /root/new-key',
        'berth targets update box --default',
      ],
      order: async ({ args: [name], options }) => ({
        to: api`PATCH /api/backups/remote-targets/${name ?? ''}`,
        body: givenSome(
          {
            endpoint: options.text('endpoint'),
            ...settingsOf(options),
            ...(await secretOf(options)),
          },
          '--endpoint, --bucket, --region, --access-key-id, --username, --path, --host-key, --default, --allow-private or a file with the secret',
        ),
        done: told('changed'),
      }),
    },
    test: {
      summary: 'write a file to a remote target, read it back and remove it',
      args: [NAME],
      examples: ['berth targets test offsite'],
      order: ({ args: [name = ''] }) => ({
        to: api`POST /api/backups/remote-targets/${name}/test`,
        done(data) {
          console.log(`${name} works.`)
          limits(known<Trial>(data, 'can_list', 'can_remove'))
        },
      }),
    },
    remove: {
      summary: 'forget a remote target and its secret; what lies there stays',
      args: [NAME],
      options: [['--force', 'also while copies or snapshots are known to lie there']],
      confirms: 'name',
      examples: ['berth targets remove offsite'],
      order: ({ args: [name = ''], options }) => ({
        to: api`DELETE /api/backups/remote-targets/${name}`,
        query: options.isOn('force') ? { force: 'true' } : {},
        confirm: [`Forgetting the target ${name} with its secret`, name],
        done: `${name} was removed; what lies there stays.`,
      }),
    },
  },
}
