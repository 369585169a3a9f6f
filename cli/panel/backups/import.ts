import { resolve } from 'node:path'
import type { z } from 'zod'
import type {
  deletedAccountSchema,
  foundSchema,
  importedSchema,
  inspectedSchema,
} from '#handlers/panel/backups/import-schema.ts'
import { CliError } from '../../cli-error.ts'
import { confirmByName } from '../../terminal/confirm.ts'
import { formatBytes } from '../../terminal/format.ts'
import { newPassword } from '../../terminal/password.ts'
import { printable } from '../../terminal/printable.ts'
import type { CommandOptions } from '../frame/command-options.ts'
import { given } from '../frame/command-options.ts'
import type { CommandSpec, PanelCall } from '../frame/command-types.ts'
import { importAll } from './import-all.ts'
import { NO_WAIT, runAsJob } from '../frame/follow-job.ts'
import { known, knownRows } from '../frame/known.ts'
import { listCommand } from '../frame/list-command.ts'
import { api } from '../frame/panel-client.ts'
import { PASSWORD_OPTIONS } from '../frame/run-order.ts'
import { showRecord } from '../frame/show-record.ts'

type Found = z.output<typeof foundSchema>
type Inspected = z.output<typeof inspectedSchema>
type Imported = z.output<typeof importedSchema>

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
    // Of another panel's archive nobody knows when it was made.
    made: `${
      one.made_by === null || one.made_by.startsWith('berth')
        ? `${one.created_at} (format ${one.version})`
        : `by ${printable(one.made_by)}`
    }, ${PROOFS[one.proof]}`,
    plan: one.account?.plan,
    files: `${one.home_entries}, ${formatBytes(one.home_bytes)}`,
    domains: one.account?.domains.map(({ from, to }) => renamed(from, to)) ?? [],
    databases: one.databases.map(({ database, to }) => renamed(database, to)),
  })
  for (const { what, subject, reason } of one.report)
    if (what !== 'taken')
      console.log(`${REPORTED[what]}: ${printable(subject)}: ${printable(reason)}`)
  for (const { path, paths } of one.configs)
    console.log(
      `Names ${one.former_homes.map(printable).join(' or ')}: ${printable(path)} (${paths} ${paths === 1 ? 'path' : 'paths'})`,
    )
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

/** What `offsite` or `offsite/file.tar.gz` names at a target of that name; null: a path is meant. */
const placeAtTarget = async (
  { panel, options }: PanelCall,
  archive: string,
): Promise<{ target: string; filename?: string } | null> => {
  const found = /^([a-z0-9][a-z0-9-]{0,31})(?:\/([^/]*))?$/.exec(archive)
  if (found === null || options.text('account') !== undefined) return null
  const data = await panel.call('GET', '/api/backups/remote-targets')
  const [, target = '', filename = ''] = found
  if (!knownRows<{ name: string }>(data, 'name').some(({ name }) => name === target)) return null
  return { target, ...(filename === '' ? {} : { filename }) }
}

const bodyOf = (
  archive: string,
  options: CommandOptions,
  at: { target: string; filename?: string } | null,
): Record<string, unknown> => {
  const account = options.number('account', [1])
  return given<unknown>({
    ...(account !== undefined
      ? {
          account_id: account,
          ...(/^[0-9a-f]{64}$/.test(archive) ? { snapshot: archive } : { filename: archive }),
          ...options.texts('location'),
        }
      : (at ?? { path: resolve(archive) })),
    ...options.texts('username', 'domain', 'email', 'plan'),
    domains: domainsOf(options),
  })
}

/** A directory or target, of which the archives are listed; else null. */
const directoryOf = async (
  { panel, options }: PanelCall,
  archive: string,
  at: { target: string; filename?: string } | null,
) => {
  if (options.text('account') !== undefined || at?.filename !== undefined) return null
  if (at !== null) {
    const query = { target: at.target }
    const data = await panel.call('GET', '/api/backups/imports', { query })
    return { data, found: knownRows<Found>(data, 'path', 'size_bytes', 'known') }
  }
  const path = resolve(archive)
  const data = await panel.call('GET', '/api/backups/imports', { query: { path } })
  const found = knownRows<Found>(data, 'path', 'size_bytes', 'known')
  const isName = /\.(?:tar|tar\.gz|tgz|tar\.zst)$/.test(path)
  const isFile = found.length === 1 && (found[0]?.path === path || isName)
  return isFile ? null : { data, found }
}

/** Reads the archive, and throws where it cannot be brought in as the options are. */
const inspect = async (
  { panel, options, json }: PanelCall,
  body: Record<string, unknown>,
): Promise<{ data: unknown; inspected: Inspected }> => {
  const data = await runAsJob(panel, api`POST /api/backups/imports/inspect`, { body }, true)
  const inspected = known<Inspected>(
    data,
    'username',
    'proof',
    'configs',
    'report',
    'problems',
    'notes',
  )
  if (options.isOn('dryRun')) return { data, inspected }
  if (!json) show(inspected)
  const [problem] = inspected.problems
  if (problem !== undefined) throw new CliError(printable(problem))
  if (inspected.proof === 'unproved' && !options.isOn('unproved'))
    throw new CliError(
      'No key of this host proves who made the archive. Take it all the same with --unproved, or lay the key of the host that made it beside the own one; see docs/backup-format.md.',
    )
  return { data, inspected }
}

/** The password that the account shall have; null: the one that it had. */
const passwordOf = async (options: CommandOptions) => {
  const [stdin, generate] = [options.isOn('passwordStdin'), options.isOn('generatePassword')]
  return stdin || generate || options.isOn('ownPassword') ? newPassword({ stdin, generate }) : null
}

const EXAMPLES = [
  'berth backups import /root/old-host/',
  'berth backups import /root/old-host/alice-20260101-030000.tar.gz --dry-run',
  'berth backups import /root/alice.tar.gz --username alice2 --domain alice2.example',
  'berth backups import /root/cpmove-alice.tar.gz --plan pro --unproved --generate-password',
  'berth backups import /root/cpmove-alice.tar.gz --username alice2 --fix-configs',
  'berth backups import alice-20260101-030000.tar.gz --account 17',
  'berth backups import offsite',
  'berth backups import offsite/alice-20260101-030000.tar.gz --dry-run',
  'berth backups import offsite --all --at-once 4',
] as const

const NAMES = ['backups import', 'accounts import'] as const

/** `berth backups import`, and by its other name `berth accounts import`. */
const importAs = (name: (typeof NAMES)[number]): CommandSpec => ({
  summary: 'make an account of an archive; of a directory or target: list the archives there',
  note: `berth ${NAMES.filter((one) => one !== name).join()} is the same command. The archive is one of Berth, or of HestiaCP, VestaCP, cPanel or DirectAdmin, and lies on the host of the panel, where root alone can write, or at a remote target (a directory of the same name is ./name). It is read first, and what is in it and what would collide is shown. For a backup of an account that is gone give its number and the name of the file; see berth backups deleted.`,
  args: [
    [
      '<archive>',
      'a file or directory; a target, or target/file; with --account the name of a backup, or the 64 digits of a snapshot',
    ],
  ],
  options: [
    ['--account <number>', 'number of the account, also one that is gone, that it is a backup of'],
    ['--location <name>', 'with --account: "local", or a remote target; default: any copy'],
    ['--username <name>', 'another username than it had'],
    ['--domain <name>', 'another primary domain; names below it follow'],
    ['--rename <old=new>', 'another name of a further domain', { repeatable: true }],
    ['--without <name>', 'leave out a further domain', { repeatable: true }],
    ['--email <address>', 'another address'],
    ['--plan <name>', 'another plan'],
    ['--all', 'of a directory or target: make accounts of all, each from its newest archive'],
    ['--at-once <number>', 'with --all: how many at a time (default: 2)'],
    ['--unproved', 'take an archive that no key of this host proves'],
    [
      '--fix-configs',
      'point paths of the old home in known configuration files and cron jobs at the new one',
    ],
    ['--own-password', 'ask for a password instead of taking over the one that it had'],
    ...PASSWORD_OPTIONS,
    ['--dry-run', 'show what is in it and what would collide, and change nothing'],
    ['--yes', 'do not ask to type the name'],
    NO_WAIT,
  ],
  examples: EXAMPLES.map((line) => line.replace('backups import', name)) as [string, ...string[]],
  async run(call) {
    const { panel, args, options, print } = call
    const [archive = ''] = args
    const at = await placeAtTarget(call, archive)
    const directory = await directoryOf(call, archive, at)
    if (options.isOn('all')) {
      if (directory === null) throw new CliError('--all is for a directory or a target.', 2)
      return importAll(call, directory.found, ({ path, filename }) =>
        at === null ? { path } : { target: at.target, filename },
      )
    }
    if (directory !== null)
      return print(directory.data, () => {
        for (const { path, size_bytes: bytes, known: isKnown } of directory.found)
          console.log(
            `${printable(path)}  ${formatBytes(bytes)}${isKnown ? '  a backup here' : ''}`,
          )
        if (directory.found.length === 0) console.log('There is no archive.')
      })
    const body = bodyOf(archive, options, at)
    const { data: seen, inspected } = await inspect(call, body)
    if (options.isOn('dryRun')) return print(seen, () => show(inspected))
    const username = inspected.account?.username ?? inspected.username
    await confirmByName(`Making the account ${username} of it`, username, options.isOn('yes'))
    const secret = await passwordOf(options)
    const wait = options.flag('wait') !== false
    const choices = {
      sha256: inspected.sha256,
      unproved: options.isOn('unproved'),
      fix_configs: options.isOn('fixConfigs'),
    }
    const password = secret === null ? {} : { password: secret.password }
    const init = { body: { ...body, ...choices, ...password } }
    const data = await runAsJob(panel, api`POST /api/backups/imports`, init, wait)
    const made = secret?.generated === true ? secret.password : null
    print(made === null ? data : { ...(data as object), password: made }, () => {
      if (!wait) showRecord(data)
      else {
        const { account, notes } = known<Imported>(data, 'account', 'notes')
        console.log(`Account ${account.username} was made; its number is ${account.id}.`)
        for (const note of notes) console.log(`Note: ${printable(note)}`)
      }
      if (made !== null) console.log(`Password: ${made}`)
    })
  },
})

/** `berth backups import`. */
export const importCommand: CommandSpec = importAs('backups import')

/** `berth accounts import`. */
export const accountsImportCommand: CommandSpec = importAs('accounts import')

/** `berth backups deleted`. */
export const deletedCommand: CommandSpec = listCommand<z.output<typeof deletedAccountSchema>>({
  summary: 'list accounts that are gone and have backups',
  examples: ['berth backups deleted'],
  path: '/api/backups/deleted-accounts',
  columns: [
    ['ACCOUNT', 'account_id', 'right'],
    ['USERNAME', 'username'],
    ['BACKUPS', 'backups', 'right'],
    ['SNAPSHOTS', 'snapshots', 'right'],
    ['NEWEST', 'newest_at'],
  ],
  empty: 'No account that is gone has backups.',
})
