import { resolve } from 'node:path'
import { z } from 'zod'
import { CliError } from '../cli-error.ts'
import { confirmByName } from '../terminal/confirm.ts'
import { formatBytes } from '../terminal/format.ts'
import { newPassword } from '../terminal/password.ts'
import { printable } from '../terminal/printable.ts'
import { PASSWORD_OPTIONS, readPasswordOptions, showPassword } from './access/password-options.ts'
import type { CommandOptions } from './frame/command-options.ts'
import { given } from './frame/command-options.ts'
import type { CommandSpec, PanelCall } from './frame/command-spec.ts'
import { NO_WAIT, runAsJob } from './frame/follow-job.ts'
import { listCommand } from './frame/list-command.ts'
import { showRecord } from './frame/show-record.ts'

const foundSchema = z.array(
  z.object({ path: z.string(), size_bytes: z.number(), known: z.boolean() }),
)

const inspectedSchema = z.object({
  sha256: z.string(),
  username: z.string(),
  created_at: z.string(),
  version: z.number(),
  proof: z.enum(['own', 'known', 'unproved']),
  home_bytes: z.number(),
  home_entries: z.number(),
  databases: z.array(z.object({ database: z.string(), to: z.string().nullable() })),
  account: z
    .object({
      username: z.string(),
      plan: z.string(),
      domains: z.array(z.object({ from: z.string().nullable(), to: z.string() })),
    })
    .nullable(),
  report: z.array(
    z.object({
      what: z.enum(['taken', 'changed', 'left']),
      subject: z.string(),
      reason: z.string(),
    }),
  ),
  problems: z.array(z.string()),
  notes: z.array(z.string()),
})
type Inspected = z.output<typeof inspectedSchema>

const PROOFS = {
  own: 'made by this host',
  known: 'made by a host whose key lies here',
  unproved: 'unproved: anybody may have made it',
} as const

const REPORTED = { changed: 'Changed', left: 'Stays behind' } as const

const renamed = (from: string | null, to: string | null): string =>
  from === null || from === to
    ? printable(to ?? '-')
    : `${printable(from)} -> ${printable(to ?? '-')}`

const show = (one: Inspected): void => {
  showRecord({
    account: renamed(one.username, one.account?.username ?? one.username),
    made: `${one.created_at} (format ${one.version}), ${PROOFS[one.proof]}`,
    plan: one.account?.plan,
    files: `${one.home_entries}, ${formatBytes(one.home_bytes)}`,
    domains: one.account?.domains.map(({ from, to }) => renamed(from, to)) ?? [],
    databases: one.databases.map(({ database, to }) => renamed(database, to)),
  })
  for (const { what, subject, reason } of one.report)
    if (what !== 'taken')
      console.log(`${REPORTED[what]}: ${printable(subject)}: ${printable(reason)}`)
  for (const note of one.notes) console.log(`Note: ${printable(note)}`)
  for (const problem of one.problems) console.log(`In the way: ${printable(problem)}`)
}

/** `--rename old=new` and `--without name`, as the API takes them. */
const domainsOf = (options: CommandOptions): Record<string, string | null> | undefined => {
  const domains: Record<string, string | null> = {}
  for (const pair of options.list('rename') ?? []) {
    const [from = '', to = '', ...more] = pair.split('=')
    if (from === '' || to === '' || more.length > 0)
      throw new CliError(`--rename takes old=new, but was given "${pair}".`, 2)
    domains[from] = to
  }
  for (const name of options.list('without') ?? []) domains[name] = null
  return Object.keys(domains).length === 0 ? undefined : domains
}

const bodyOf = (archive: string, options: CommandOptions): Record<string, unknown> => {
  const account = options.number('account', 1)
  return given({
    ...(account === undefined
      ? { path: resolve(archive) }
      : { account_id: account, filename: archive, location: options.text('location') }),
    username: options.text('username'),
    domain: options.text('domain'),
    domains: domainsOf(options),
    email: options.text('email'),
    plan: options.text('plan'),
  })
}

/** A directory, of which the archives are listed; else null. */
const directoryOf = async ({ panel, options }: PanelCall, archive: string) => {
  if (options.text('account') !== undefined) return null
  const path = resolve(archive)
  const data = await panel.call('GET', '/api/backups/imports', { query: { path } })
  const found = foundSchema.parse(data)
  const isFile =
    found.length === 1 && (found[0]?.path === path || /\.(?:tar|tar\.gz|tgz|tar\.zst)$/.test(path))
  return isFile ? null : { data, found }
}

/** `berth backups import`. */
export const importCommand: CommandSpec = {
  name: 'import',
  summary: 'make an account of an archive; of a directory: list the archives in it',
  note: 'The archive is one of Berth, or of HestiaCP, VestaCP, cPanel or DirectAdmin, and lies on the host of the panel, where root alone can write. It is read first, and what is in it and what would collide is shown. For a backup of an account that is gone give its number and the name of the file; see berth backups deleted.',
  args: [['<archive>', 'a file or directory; with --account the name of a backup']],
  options: [
    ['--account <number>', 'number of the account, also one that is gone, that it is a backup of'],
    ['--location <name>', 'with --account: "local", or a remote target; default: any copy'],
    ['--username <name>', 'another username than it had'],
    ['--domain <name>', 'another primary domain; names below it follow'],
    ['--rename <old=new>', 'another name of a further domain', { repeatable: true }],
    ['--without <name>', 'leave out a further domain', { repeatable: true }],
    ['--email <address>', 'another address'],
    ['--plan <name>', 'another plan'],
    ['--unproved', 'take an archive that no key of this host proves'],
    ['--own-password', 'ask for a password instead of taking over the one that it had'],
    ...PASSWORD_OPTIONS,
    ['--dry-run', 'show what is in it and what would collide, and change nothing'],
    ['--yes', 'do not ask to type the name'],
    NO_WAIT,
  ],
  examples: [
    'berth backups import /root/old-host/',
    'berth backups import /root/old-host/alice-20260101-030000.tar.gz --dry-run',
    'berth backups import /root/alice.tar.gz --username alice2 --domain alice2.example',
    'berth backups import /root/cpmove-alice.tar.gz --plan pro --unproved --generate-password',
    'berth backups import alice-20260101-030000.tar.gz --account 17',
  ],
  async run(call) {
    const { panel, args, options, print } = call
    const [archive = ''] = args
    const directory = await directoryOf(call, archive)
    if (directory !== null)
      return print(directory.data, () => {
        for (const { path, size_bytes: bytes, known } of directory.found)
          console.log(`${printable(path)}  ${formatBytes(bytes)}${known ? '  a backup here' : ''}`)
        if (directory.found.length === 0) console.log('There is no archive.')
      })
    const body = bodyOf(archive, options)
    const inspectPath = '/api/backups/imports/inspect'
    const seen = await runAsJob(panel, 'POST', inspectPath, { body }, true)
    const inspected = inspectedSchema.parse(seen)
    if (options.isOn('dryRun')) return print(seen, () => show(inspected))
    if (!call.json) show(inspected)
    const [problem] = inspected.problems
    if (problem !== undefined) throw new CliError(printable(problem))
    if (inspected.proof === 'unproved' && !options.isOn('unproved'))
      throw new CliError(
        'No key of this host proves who made the archive. Take it all the same with --unproved, or lay the key of the host that made it beside the own one; see docs/backup-format.md.',
      )
    const username = inspected.account?.username ?? inspected.username
    await confirmByName(`Making the account ${username} of it`, username, options.isOn('yes'))
    const asks = ['ownPassword', 'passwordStdin', 'generatePassword'].some((one) =>
      options.isOn(one),
    )
    const secret = asks ? await newPassword(readPasswordOptions(options)) : null
    const wait = options.flag('wait') !== false
    const data = await runAsJob(
      panel,
      'POST',
      '/api/backups/imports',
      {
        body: {
          ...body,
          sha256: inspected.sha256,
          unproved: options.isOn('unproved'),
          ...(secret === null ? {} : { password: secret.password }),
        },
      },
      wait,
    )
    print(secret === null ? data : showPassword.data(data, secret), () => {
      if (!wait) return showRecord(data)
      const { account, notes } = z
        .object({
          account: z.object({ id: z.number(), username: z.string() }),
          notes: z.array(z.string()),
        })
        .parse(data)
      console.log(`Account ${account.username} was made; its number is ${account.id}.`)
      for (const note of notes) console.log(`Note: ${printable(note)}`)
      if (secret !== null) showPassword.line(secret)
    })
  },
}

/** `berth backups deleted`. */
export const deletedCommand: CommandSpec = listCommand({
  name: 'deleted',
  summary: 'list accounts that are gone and have backups',
  examples: ['berth backups deleted'],
  path: async () => '/api/backups/deleted-accounts',
  row: z.object({
    account_id: z.number(),
    username: z.string(),
    backups: z.number(),
    newest_at: z.string(),
  }),
  columns: [
    { title: 'ACCOUNT', value: ({ account_id: id }) => id, right: true },
    { title: 'USERNAME', value: ({ username }) => username },
    { title: 'BACKUPS', value: ({ backups }) => backups, right: true },
    { title: 'NEWEST', value: (row) => row.newest_at },
  ],
  empty: 'No account that is gone has backups.',
})
