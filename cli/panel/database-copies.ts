import { basename } from 'node:path'
import type { z } from 'zod'
import type { exportSchema, importedSchema } from '#handlers/panel/databases/schema.ts'
import { formatBytes } from '../terminal/format.ts'
import { downloadTo } from './files/transfer.ts'
import { given } from './frame/command-options.ts'
import type { CommandSpec } from './frame/command-types.ts'
import { NAME, WHICH } from './frame/database-arguments.ts'
import { known } from './frame/known.ts'
import { listCommand } from './frame/list-command.ts'
import { ACCOUNT, findAccount } from './frame/lookup.ts'
import { api, apiPath } from './frame/panel-client.ts'

type Export = z.output<typeof exportSchema>
type Imported = z.output<typeof importedSchema>

const FILENAME = ['<filename>', 'as berth databases exports shows it'] as const
/** `berth databases export`. */
const exportCommand: CommandSpec = {
  summary: 'write a database into a file that can be downloaded for a day',
  args: [ACCOUNT, NAME],
  options: [['--format <format>', 'how it is packed', { choices: ['sql', 'gz', 'zip'] }], WHICH],
  job: true,
  examples: ['berth databases export alice shop', 'berth databases export alice shop --format zip'],
  order: async ({ panel, args: [name, database], options }) => ({
    to: api`POST /api/databases/${(await findAccount(panel, name)).id}/${database}/export`,
    query: options.texts('engine'),
    body: given(options.texts('format')),
    done(data) {
      const { filename, size_bytes } = known<Export>(data, 'filename', 'size_bytes')
      console.log(`${filename}  ${formatBytes(size_bytes)}`)
      console.log(`To have it here: berth databases download ${name} ${filename}`)
    },
  }),
}

/** `berth databases import`. */
const importCommand: CommandSpec = {
  summary: 'put a dump in the place of what a database holds',
  note: 'The file lies below the home (berth files put): .sql, .sql.gz, or a .zip with one .sql. What was there before is kept for a day: berth backups undo.',
  args: [ACCOUNT, NAME, ['<file>', "below the account's home"]],
  options: [['--remove-file', 'remove the file once it is imported'], WHICH],
  confirms: 'name',
  job: true,
  examples: ['berth databases import alice shop dumps/shop.sql.gz'],
  async order({ panel, args: [name, database = '', path], options }) {
    const { id, username } = await findAccount(panel, name)
    return {
      to: api`POST /api/databases/${id}/${database}/import`,
      query: options.texts('engine'),
      body: given<unknown>({ path, remove_file: options.isOn('removeFile') || undefined }),
      confirm: [`Replacing all that database ${database} of ${username} holds`, database],
      done(data) {
        const { undo } = known<Imported>(data, 'undo')
        const how =
          undo === null
            ? 'It cannot be undone: too little room was left to keep what was there.'
            : `To undo that until ${undo.until} UTC: berth backups undo ${username}`
        console.log(`The dump is in the database. ${how}`)
      },
    }
  },
}

/** What `berth databases` can do with databases as files. */
export const databaseCopies: Readonly<Record<string, CommandSpec>> = {
  export: exportCommand,
  exports: listCommand<Export>({
    summary: 'list the exports that can be downloaded',
    args: [ACCOUNT],
    examples: ['berth databases exports alice'],
    path: async ({ panel, args: [name] }) =>
      apiPath`/api/databases/${(await findAccount(panel, name)).id}/exports`,
    columns: [
      ['FILENAME', 'filename'],
      ['SIZE', 'size_bytes', 'right', (row) => formatBytes(row.size_bytes)],
      ['UNTIL', 'until'],
    ],
    empty: 'There is no export. Make one: berth databases export',
  }),
  download: {
    summary: 'download an export',
    args: [
      ACCOUNT,
      FILENAME,
      ['[file]', 'where to; - is standard output (default: here, under its name)'],
    ],
    options: [['--force', 'replace a file that is there']],
    examples: ['berth databases download alice mariadb-alice_shop-20260101-030000.sql.gz'],
    async run(call) {
      const { panel, args } = call
      const [name, filename = '', to] = args
      const { id } = await findAccount(panel, name)
      const path = apiPath`/api/databases/${id}/exports/${filename}/download`
      await downloadTo(call, to, basename(filename), path, {})
    },
  },
  import: importCommand,
}
