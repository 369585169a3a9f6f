import { basename } from 'node:path'
import { z } from 'zod'
import { confirmByName } from '../terminal/confirm.ts'
import { formatBytes } from '../terminal/format.ts'
import { printable } from '../terminal/printable.ts'
import { deletedCommand, importCommand } from './backups-import.ts'
import { given } from './frame/command-options.ts'
import type { CommandSpec, OptionSpec, ResourceSpec } from './frame/command-spec.ts'
import { NO_WAIT, runAsJob } from './frame/follow-job.ts'
import { listCommand } from './frame/list-command.ts'
import { findAccount } from './frame/lookup.ts'
import { apiPath } from './frame/panel-client.ts'
import { showRecord } from './frame/show-record.ts'
import { saveDownload } from './files/transfer.ts'

const ACCOUNT = ['<account>', 'username or number; the number also of one that is gone'] as const
const FILENAME = ['<filename>', 'as berth backups list shows it'] as const
const LOCATION: OptionSpec = [
  '--location <name>',
  '"local", or a remote target; default: the local copy, or where that is gone or damaged another',
]

const rowSchema = z.object({
  filename: z.string(),
  size_bytes: z.number(),
  created_at: z.string(),
  databases: z.array(z.unknown()),
  skipped: z.number(),
  location: z.string(),
})

/** Backups outlive their account: then only its number leads to them. */
const accountId = async (
  panel: Parameters<typeof findAccount>[0],
  name: string,
): Promise<number> => (/^[1-9]\d*$/.test(name) ? Number(name) : (await findAccount(panel, name)).id)

const create: CommandSpec = {
  name: 'create',
  summary: 'back up an account: its files and databases',
  note: 'It counts once it was read back.',
  args: [ACCOUNT],
  options: [
    [
      '--target <name>',
      'a remote target for a copy, or "local" for none; default: the default target',
    ],
    NO_WAIT,
  ],
  examples: ['berth backups create alice', 'berth backups create alice --target offsite --no-wait'],
  async run({ panel, args: [name = ''], options, print }) {
    const id = await accountId(panel, name)
    const body = given({ target: options.text('target') })
    const wait = options.flag('wait') !== false
    const data = await runAsJob(panel, 'POST', apiPath`/api/backups/accounts/${id}`, { body }, wait)
    print(data, () => {
      if (!wait) return showRecord(data)
      const { filename, size_bytes: bytes, skipped } = rowSchema.parse(data)
      console.log(`${filename}  ${formatBytes(bytes)}`)
      if (skipped > 0) console.error(`${skipped} entries are not in it; see --json.`)
    })
  },
}

const restore: CommandSpec = {
  name: 'restore',
  summary: 'put back the files and databases of a backup in the place of what is there',
  args: [ACCOUNT, FILENAME],
  options: [
    [
      '--what <what>',
      'what to put back',
      { choices: ['all', 'files', 'databases'], preset: 'all' },
    ],
    LOCATION,
    ['--yes', 'do not ask to type the name'],
    NO_WAIT,
  ],
  examples: ['berth backups restore alice alice-20260101-030000.tar.gz --what databases'],
  async run({ panel, args: [name = '', filename = ''], options, print }) {
    const { id, username } = await findAccount(panel, name)
    const what = `Replacing what account ${username} has now by ${filename}`
    await confirmByName(what, username, options.isOn('yes'))
    const wait = options.flag('wait') !== false
    const path = apiPath`/api/backups/accounts/${id}/restore/${filename}`
    const init = {
      body: { what: options.text('what') },
      query: { location: options.text('location') },
    }
    const data = await runAsJob(panel, 'POST', path, init, wait)
    print(data, () => {
      if (wait) console.log(`${filename} was put back.`)
      else showRecord(data)
    })
  },
}

const download: CommandSpec = {
  name: 'download',
  summary: 'download a backup',
  args: [
    ACCOUNT,
    FILENAME,
    ['[file]', 'where to; - is standard output (default: here, under its name)'],
  ],
  options: [LOCATION, ['--force', 'replace a file that is there']],
  examples: ['berth backups download alice alice-20260101-030000.tar.gz /mnt/usb/'],
  async run({ panel, args: [name = '', filename = '', to = ''], options, print }) {
    const id = await accountId(panel, name)
    const path = apiPath`/api/backups/accounts/${id}/${filename}/download`
    const incoming = await panel.download(path, { location: options.text('location') })
    const saved = await saveDownload(incoming, {
      to: to === '' ? undefined : to,
      name: basename(filename),
      force: options.isOn('force'),
    })
    if (saved.file !== '-')
      print(saved, () => console.log(`${saved.file}  ${formatBytes(saved.size_bytes)}`))
  },
}

const remove: CommandSpec = {
  name: 'delete',
  summary: 'delete a backup from this host; copies at remote targets stay',
  args: [ACCOUNT, FILENAME],
  options: [
    ['--location <name>', 'the copy at a remote target instead, or "all": every copy'],
    ['--yes', 'do not ask to type the name'],
  ],
  examples: [
    'berth backups delete alice alice-20260101-030000.tar.gz',
    'berth backups delete alice alice-20260101-030000.tar.gz --location all',
  ],
  async run({ panel, args: [name = '', filename = ''], options, print }) {
    const id = await accountId(panel, name)
    await confirmByName(`Deleting ${filename}`, filename, options.isOn('yes'))
    const path = apiPath`/api/backups/accounts/${id}/${filename}`
    const query = { location: options.text('location') }
    const data = await panel.call('DELETE', path, { query })
    print(data, () => {
      const { kept } = z.object({ kept: z.array(z.string()) }).parse(data)
      const left =
        kept.length === 0 ? '' : ` Copies are left at: ${kept.map(printable).join(', ')}.`
      console.log(`${filename} was deleted.${left}`)
    })
  },
}

const cleanup: CommandSpec = {
  name: 'cleanup',
  summary: 'remove old backups of all accounts; exit code 1 when one could not be removed',
  options: [['--days <number>', 'older than so many days', { preset: '30' }]],
  examples: ['berth backups cleanup --days 90'],
  async run({ panel, options, print }) {
    const body = { retention_days: options.number('days', 1) }
    const data = await panel.call('POST', '/api/backups/cleanup', { body })
    const entry = { filename: z.string(), location: z.string() }
    const { removed, failed } = z
      .object({
        removed: z.array(z.object(entry)),
        failed: z.array(z.object({ ...entry, error: z.string() })),
      })
      .parse(data)
    print(data, () => {
      console.log(`${removed.length} removed, ${failed.length} not.`)
      for (const { filename, location, error } of failed)
        console.error(`${filename} (${location}): ${error}`)
    })
    if (failed.length > 0) process.exitCode = 1
  },
}

/** `berth backups …`. */
export const backups: ResourceSpec = {
  name: 'backups',
  alias: 'backup',
  summary: 'backups of accounts',
  commands: [
    listCommand({
      summary: 'list the backups of an account',
      args: [ACCOUNT],
      examples: ['berth backups list alice --sort created_at --order desc'],
      path: async ({ panel, args: [name = ''] }) =>
        apiPath`/api/backups/accounts/${await accountId(panel, name)}`,
      sortable: ['filename', 'size_bytes', 'location', 'created_at'],
      row: rowSchema,
      columns: [
        { title: 'FILENAME', value: ({ filename }) => filename },
        { title: 'SIZE', value: (row) => formatBytes(row.size_bytes), right: true },
        { title: 'CREATED', value: (row) => row.created_at },
        { title: 'DATABASES', value: (row) => row.databases.length, right: true },
        { title: 'LEFT OUT', value: ({ skipped }) => skipped, right: true },
        { title: 'LOCATION', value: ({ location }) => location },
      ],
      empty: 'The account has no backups. Make one: berth backups create',
    }),
    create,
    restore,
    download,
    remove,
    cleanup,
    importCommand,
    deletedCommand,
  ],
}
