import type { z } from 'zod'
import type { contentsSchema, keptRestoreSchema } from '#handlers/panel/backups/schema.ts'
import { formatBytes } from '../../terminal/format.ts'
import { printTable } from '../../terminal/print-table.ts'
import { printable } from '../../terminal/printable.ts'
import { CliError } from '../../cli-error.ts'
import { given } from '../frame/command-options.ts'
import type { CommandSpec, OptionSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { findAccount } from '../frame/lookup.ts'
import { api, apiPath } from '../frame/panel-client.ts'
import { databaseNamed, PART_OPTIONS, partsOf, tellRestored } from './restore-parts.ts'

type Restore = z.output<typeof keptRestoreSchema>
type Contents = z.output<typeof contentsSchema>

const ACCOUNT = ['<account>', 'username or number'] as const
const FILENAME = ['<filename>', 'as berth backups list shows it'] as const
const LOCATION: OptionSpec = [
  '--location <name>',
  '"local", or a remote target; default: the local copy, or where that is gone or damaged another',
]
/** `berth backups restore`. */
export const restoreCommand: CommandSpec = {
  summary: 'put back what is in a backup in the place of what is there',
  note: 'Files and databases, all or chosen ones, or the settings. What was there before is kept for a day: berth backups undo.',
  args: [ACCOUNT, FILENAME],
  options: [...PART_OPTIONS, LOCATION],
  confirms: 'name',
  job: true,
  examples: [
    'berth backups restore alice alice-20260101-030000.tar.gz --what databases',
    'berth backups restore alice alice-20260101-030000.tar.gz --path public_html/blog --database alice_blog',
    'berth backups restore alice alice-20260101-030000.tar.gz --what settings',
  ],
  async order({ panel, args: [name, filename], options }) {
    const { id, username } = await findAccount(panel, name)
    const { body, chosen } = partsOf(options, username, databaseNamed)
    return {
      to: api`POST /api/backups/accounts/${id}/restore/${filename}`,
      query: options.texts('location'),
      body,
      confirm: [`Replacing ${chosen} by ${filename}`, username],
      done: tellRestored(
        `${filename} was put back. To undo that within a day: berth backups undo ${username}`,
      ),
    }
  },
}

/** `berth backups contents`. */
export const contentsCommand: CommandSpec = {
  summary: 'list what is in a folder of a backup',
  args: [ACCOUNT, FILENAME, ['[path]', 'folder below the home (default: the home itself)']],
  options: [['--page <number>', 'of 1,000 entries each, from 1'], LOCATION],
  examples: ['berth backups contents alice alice-20260101-030000.tar.gz public_html'],
  async order({ panel, args: [name, filename, path], options }) {
    const { id } = await findAccount(panel, name)
    return {
      to: api`GET /api/backups/accounts/${id}/${filename}/contents`,
      query: given({
        ...options.texts('location'),
        path: path === '' ? undefined : path,
        page: options.number('page', [1, 10_000])?.toString(),
      }),
      done(data) {
        const { entries, total, databases } = known<Contents>(data, 'entries', 'total', 'databases')
        printTable(
          entries,
          [
            { title: 'MODE', value: (one) => one.mode },
            {
              title: 'SIZE',
              value: (one) => (one.type === 'file' ? formatBytes(one.size_bytes) : one.type),
              right: true,
            },
            { title: 'CHANGED', value: (one) => one.modified_at },
            { title: 'PATH', value: (one) => printable(one.path) },
          ],
          'The folder is empty.',
        )
        if (total > entries.length) console.error(`${total} entries; see --page.`)
        if (path === '' || path === undefined)
          for (const one of databases) console.log(`database ${one.engine}:${one.database}`)
      },
    }
  },
}

const LOST = {
  quota: 'no: too little of the quota was left',
  disk: 'no: too little of the disk was left',
  removed: 'no: the folder was removed',
} as const

const parts = (chosen: Restore['files'] | Restore['databases']): string =>
  typeof chosen === 'string' ? chosen : String(chosen.length)

const show = (rows: readonly Restore[]): void =>
  printTable(
    rows,
    [
      { title: 'ID', value: (one) => one.id },
      { title: 'RESTORED', value: (one) => one.restored_at },
      { title: 'FROM', value: (one) => one.backup ?? one.snapshot ?? one.dump ?? '' },
      { title: 'FILES', value: (one) => parts(one.files) },
      { title: 'DATABASES', value: (one) => parts(one.databases) },
      { title: 'SETTINGS', value: (one) => (one.settings ? 'all' : 'none') },
      {
        title: 'CAN BE UNDONE',
        value: (one) => (one.lost === null ? `until ${one.until}` : LOST[one.lost]),
      },
    ],
    'Nothing was restored within the last day.',
  )

/** `berth backups restores`. */
export const restoresCommand: CommandSpec = {
  summary: 'list the restores of an account that can be undone',
  args: [ACCOUNT],
  examples: ['berth backups restores alice'],
  async order({ panel, args: [name] }) {
    const { id } = await findAccount(panel, name)
    return {
      to: api`GET /api/backups/accounts/${id}/restores`,
      done: (data) => show(data as Restore[]),
    }
  },
}

/** `berth backups undo`. */
export const undoCommand: CommandSpec = {
  summary: 'undo a restore: bring back what was there before it',
  note: 'That is a restore itself, and can be undone in its turn.',
  args: [ACCOUNT, ['[restore]', 'as berth backups restores shows it (default: the last one)']],
  confirms: 'name',
  job: true,
  examples: ['berth backups undo alice'],
  async order({ panel, args: [name, restore] }) {
    const { id, username } = await findAccount(panel, name)
    const path = apiPath`/api/backups/accounts/${id}/restores`
    const [last] = restore ? [] : ((await panel.call('GET', path)) as Restore[])
    if (!restore && !last)
      throw new CliError(
        'Nothing was restored within the last day, so there is nothing to undo.',
        2,
      )
    const which = restore || last?.id
    return {
      to: api`POST /api/backups/accounts/${id}/restores/${which}/undo`,
      confirm: [`Replacing what the restore brought account ${username}`, username],
      done: tellRestored(
        `What account ${username} had before is back. To undo that as well: berth backups undo ${username}`,
      ),
    }
  },
}
