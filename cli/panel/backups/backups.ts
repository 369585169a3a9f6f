import { basename } from 'node:path'
import type { z } from 'zod'
import type { backupSchema, cleanupSchema } from '#handlers/panel/backups/schema.ts'
import { formatBytes } from '../../terminal/format.ts'
import { printable } from '../../terminal/printable.ts'
import { deletedCommand, importCommand } from './import.ts'
import { contentsCommand, restoreCommand, restoresCommand, undoCommand } from './restore.ts'
import { given } from '../frame/command-options.ts'
import type { OptionSpec, ResourceSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { listCommand } from '../frame/list-command.ts'
import { findAccount } from '../frame/lookup.ts'
import { api, apiPath, type PanelClient } from '../frame/panel-client.ts'
import { restoreAll, restoredList } from './restore-all.ts'
import { downloadTo } from '../files/transfer.ts'

const ACCOUNT = ['<account>', 'username or number; the number also of one that is gone'] as const
const FILENAME = ['<filename>', 'as berth backups list shows it'] as const
const LOCATION: OptionSpec = [
  '--location <name>',
  '"local", or a remote target; default: the local copy, or where that is gone or damaged another',
]

type Backup = z.output<typeof backupSchema>
type Cleanup = z.output<typeof cleanupSchema>

/** Backups outlive their account: then only its number leads to them. */
const accountId = async (panel: PanelClient, name = ''): Promise<number> =>
  /^[1-9]\d*$/.test(name) ? Number(name) : (await findAccount(panel, name)).id

/** `berth backups …`. */
export const backups: ResourceSpec = {
  name: 'backups',
  alias: 'backup',
  summary: 'backups of accounts',
  commands: {
    list: listCommand<Backup>({
      summary: 'list the backups of an account, or of all',
      args: [['[account]', `${ACCOUNT[1]}; default: all accounts`]],
      examples: [
        'berth backups list alice --sort created_at --order desc',
        'berth backups list --sort size_bytes --order desc',
      ],
      path: async ({ panel, args: [name = ''] }) =>
        name === ''
          ? '/api/backups'
          : apiPath`/api/backups/accounts/${await accountId(panel, name)}`,
      sortable: ['filename', 'size_bytes', 'location', 'created_at'],
      columns: [
        ['ACCOUNT', 'username'],
        ['FILENAME', 'filename'],
        ['SIZE', 'size_bytes', 'right', (row) => formatBytes(row.size_bytes)],
        ['CREATED', 'created_at'],
        ['DATABASES', 'databases', 'right', (row) => row.databases.length],
        ['LEFT OUT', 'skipped', 'right'],
        ['LOCATION', 'location'],
      ],
      empty: 'There are no backups. Make one: berth backups create',
    }),
    create: {
      summary: 'back up an account: its files and databases',
      note: 'It counts once it was read back.',
      args: [ACCOUNT],
      options: [
        [
          '--target <name>',
          'a remote target for a copy, or "local" for none; default: the default target',
        ],
      ],
      job: true,
      examples: [
        'berth backups create alice',
        'berth backups create alice --target offsite --no-wait',
      ],
      order: async ({ panel, args: [name], options }) => ({
        to: api`POST /api/backups/accounts/${await accountId(panel, name)}`,
        body: given(options.texts('target')),
        done(data) {
          const {
            filename,
            size_bytes: bytes,
            skipped,
          } = known<Backup>(data, 'filename', 'size_bytes', 'skipped')
          console.log(`${filename}  ${formatBytes(bytes)}`)
          if (skipped > 0) console.error(`${skipped} entries are not in it; see --json.`)
        },
      }),
    },
    restore: restoreCommand,
    contents: contentsCommand,
    restores: restoresCommand,
    undo: undoCommand,
    'restore-all': restoreAll,
    restored: restoredList,
    download: {
      summary: 'download a backup',
      args: [
        ACCOUNT,
        FILENAME,
        ['[file]', 'where to; - is standard output (default: here, under its name)'],
      ],
      options: [LOCATION, ['--force', 'replace a file that is there']],
      examples: ['berth backups download alice alice-20260101-030000.tar.gz /mnt/usb/'],
      async run(call) {
        const { panel, args, options } = call
        const [name, filename = '', to] = args
        const path = apiPath`/api/backups/accounts/${await accountId(panel, name)}/${filename}/download`
        await downloadTo(call, to, basename(filename), path, options.texts('location'))
      },
    },
    delete: {
      summary: 'delete a backup from this host; copies at remote targets stay',
      args: [ACCOUNT, FILENAME],
      options: [['--location <name>', 'the copy at a remote target instead, or "all": every copy']],
      confirms: 'name',
      examples: [
        'berth backups delete alice alice-20260101-030000.tar.gz',
        'berth backups delete alice alice-20260101-030000.tar.gz --location all',
      ],
      order: async ({ panel, args: [name, filename = ''], options }) => ({
        to: api`DELETE /api/backups/accounts/${await accountId(panel, name)}/${filename}`,
        query: options.texts('location'),
        confirm: [`Deleting ${filename}`, filename],
        done(data) {
          const { kept } = known<{ kept: string[] }>(data, 'kept')
          const left =
            kept.length === 0 ? '' : ` Copies are left at: ${kept.map(printable).join(', ')}.`
          console.log(`${filename} was deleted.${left}`)
        },
      }),
    },
    cleanup: {
      summary: 'remove old backups of all accounts; exit code 1 when one could not be removed',
      options: [['--days <number>', 'older than so many days', { preset: '30' }]],
      examples: ['berth backups cleanup --days 90'],
      order: ({ options }) => ({
        to: api`POST /api/backups/cleanup`,
        body: { retention_days: options.number('days', [1]) },
        done(data) {
          const { removed, failed } = known<Cleanup>(data, 'removed', 'failed')
          console.log(`${removed.length} removed, ${failed.length} not.`)
          for (const { filename, location, error } of failed)
            console.error(`${filename} (${location}): ${error}`)
        },
        failed: (data) => known<Cleanup>(data, 'failed').failed.length > 0,
      }),
    },
    import: importCommand,
    deleted: deletedCommand,
  },
}
