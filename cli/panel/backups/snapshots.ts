import type { z } from 'zod'
import type {
  proofSchema,
  snapshotEntrySchema,
  snapshotFolderSchema,
} from '#handlers/panel/backups/snapshots/schema.ts'
import { formatBytes } from '../../terminal/format.ts'
import { downloadTo } from '../files/transfer.ts'
import { given } from '../frame/command-options.ts'
import type { ResourceSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { listCommand, printRows } from '../frame/list-command.ts'
import { findAccount } from '../frame/lookup.ts'
import { api, apiPath } from '../frame/panel-client.ts'
import { accountId, findSnapshot, SHOWN_DIGITS, type Snapshot } from './find-snapshot.ts'
import { databaseOf, PART_OPTIONS, partsOf, tellRestored } from './restore-parts.ts'

const ACCOUNT = ['<account>', 'username or number; the number also of one that is gone'] as const
const SNAPSHOT = ['<snapshot>', 'its first digits, or latest'] as const

type Entry = z.output<typeof snapshotEntrySchema>
type Proof = z.output<typeof proofSchema>

/** What `ls -F` puts behind a name. */
const SIGNS = { file: '', directory: '/', symlink: '@' } as const

const short = ({ id }: { id: string }): string => id.slice(0, SHOWN_DIGITS)
const sizeOf = (bytes: number | null | undefined): string | null =>
  bytes === null || bytes === undefined ? null : formatBytes(bytes)

/** `berth snapshots …`. */
export const snapshots: ResourceSpec = {
  name: 'snapshots',
  alias: 'snapshot',
  summary: 'incremental, encrypted backups of accounts',
  commands: {
    list: listCommand<Snapshot>({
      summary: 'list the snapshots of an account, or of all',
      args: [['[account]', `${ACCOUNT[1]}; default: all accounts`]],
      examples: [
        'berth snapshots list alice',
        'berth snapshots list --sort size_bytes --order desc',
      ],
      path: async ({ panel, args: [name = ''] }) =>
        name === ''
          ? '/api/backups/snapshots'
          : apiPath`/api/backups/snapshots/accounts/${await accountId(panel, name)}`,
      sortable: ['location', 'size_bytes', 'added_bytes', 'created_at'],
      columns: [
        ['ACCOUNT', 'username'],
        ['SNAPSHOT', 'id', null, short],
        ['CREATED', 'created_at'],
        ['SIZE', 'size_bytes', 'right', (row) => formatBytes(row.size_bytes)],
        ['ADDED', 'added_bytes', 'right', (row) => sizeOf(row.added_bytes)],
        ['FILES', 'files', 'right'],
        ['DATABASES', 'databases', 'right', (row) => row.databases.length],
        ['UNREAD', 'unread', 'right'],
        ['LOCATION', 'location'],
      ],
      empty: 'There are no snapshots. Make one: berth snapshots create',
    }),
    create: {
      summary: 'make a snapshot of an account: its files and databases',
      note: 'Only what changed since the last one is stored. It counts once its repository lists it with every dump.',
      args: [ACCOUNT],
      options: [
        [
          '--target <name>',
          'a remote target, or "local" for this host; default: the default target',
        ],
      ],
      job: true,
      examples: ['berth snapshots create alice', 'berth snapshots create alice --target offsite'],
      order: async ({ panel, args: [name], options }) => ({
        to: api`POST /api/backups/snapshots/accounts/${await accountId(panel, name)}`,
        body: given(options.texts('target')),
        done(data) {
          const made = known<Snapshot>(data, 'id', 'size_bytes', 'added_bytes', 'unread')
          const added = sizeOf(made.added_bytes)
          const grown = added === null ? '' : `, ${added} of them new`
          console.log(`${short(made)}  ${formatBytes(made.size_bytes)}${grown}`)
          if (made.unread > 0) console.error(`${made.unread} files could not be read.`)
        },
      }),
    },
    browse: {
      summary: 'list a folder of a snapshot',
      args: [ACCOUNT, SNAPSHOT, ['[path]', 'below the home (default: the home)']],
      options: [['--page <number>', 'of 1,000 entries each, from 1']],
      examples: ['berth snapshots browse alice latest public_html'],
      async run({ panel, args: [name, wanted, path], options, print }) {
        const account = await accountId(panel, name)
        const { id } = await findSnapshot(panel, account, wanted)
        const data = await panel.call(
          'GET',
          apiPath`/api/backups/snapshots/accounts/${account}/${id}/browse`,
          { query: { path: path || undefined, page: options.number('page', [1]) } },
        )
        print(data, () => {
          const { entries, total } = known<z.output<typeof snapshotFolderSchema>>(
            data,
            'entries',
            'total',
          )
          const rows = printRows<Entry>(
            entries,
            [
              ['MODE', 'mode', 'right'],
              [
                'SIZE',
                'size_bytes',
                'right',
                (row) => (row.type === 'file' ? formatBytes(row.size_bytes) : null),
              ],
              ['MODIFIED', 'modified_at'],
              ['NAME', 'name', null, (row) => row.name + SIGNS[row.type]],
            ],
            'The folder is empty.',
          )
          if (total > rows.length) console.error(`${rows.length} of ${total}; see --page.`)
        })
      },
    },
    download: {
      summary: 'download a file, a folder or the dump of a database from a snapshot',
      args: [
        ACCOUNT,
        SNAPSHOT,
        ['[file]', 'where to; - is standard output (default: here, under its name)'],
      ],
      options: [
        ['--path <path>', 'below the home; a folder comes as tar.gz (default: the home)'],
        ['--database <name>', 'instead: the dump of a database, name or engine:name'],
        ['--force', 'replace a file that is there'],
      ],
      examples: [
        'berth snapshots download alice latest --path public_html/wp-config.php',
        'berth snapshots download alice 3f0c1d2e4b --database alice_shop /mnt/usb/',
      ],
      async run(call) {
        const { panel, args, options } = call
        const [name, wanted, to] = args
        const account = await accountId(panel, name)
        const snapshot = await findSnapshot(panel, account, wanted)
        const url = apiPath`/api/backups/snapshots/accounts/${account}/${snapshot.id}/download`
        const [path, database] = [options.text('path'), options.text('database')]
        if (database !== undefined) {
          const chosen = databaseOf(snapshot, database)
          const file = `${chosen.engine}-${chosen.database}.sql`
          return downloadTo(call, to, file, url, { ...chosen, path })
        }
        const parts = (path ?? '').split('/').filter((part) => part !== '')
        const folder = await panel
          .call('GET', apiPath`/api/backups/snapshots/accounts/${account}/${snapshot.id}/browse`, {
            query: { path: parts.join('/') },
          })
          .then(
            () => '.tar.gz',
            () => '',
          )
        const file = `${parts.at(-1) ?? snapshot.username}${folder}`
        await downloadTo(call, to, file, url, { path: parts.join('/') })
      },
    },
    restore: {
      summary:
        'put back files and databases, or the settings, of a snapshot in the place of what is there',
      args: [ACCOUNT, SNAPSHOT],
      options: PART_OPTIONS,
      confirms: 'name',
      job: true,
      examples: [
        'berth snapshots restore alice latest --what databases',
        'berth snapshots restore alice 3f0c1d2e4b --path public_html/index.php --database alice_shop',
      ],
      async order({ panel, args: [name, wanted], options }) {
        const { id, username } = await findAccount(panel, name)
        const snapshot = await findSnapshot(panel, id, wanted)
        const { body, chosen } = partsOf(options, username, (one) => databaseOf(snapshot, one))
        return {
          to: api`POST /api/backups/snapshots/accounts/${id}/${snapshot.id}/restore`,
          body,
          confirm: [`Replacing ${chosen} by ${snapshot.created_at}`, username],
          done: tellRestored(`The snapshot of ${snapshot.created_at} was put back.`),
        }
      },
    },
    delete: {
      summary: 'delete a snapshot, and give back the room that no other needs',
      args: [ACCOUNT, SNAPSHOT],
      confirms: 'name',
      job: true,
      examples: ['berth snapshots delete alice 3f0c1d2e4b'],
      async order({ panel, args: [name, wanted] }) {
        const account = await accountId(panel, name)
        const snapshot = await findSnapshot(panel, account, wanted)
        return {
          to: api`DELETE /api/backups/snapshots/accounts/${account}/${snapshot.id}`,
          confirm: [`Deleting the snapshot of ${snapshot.created_at}`, snapshot.username],
          done: `The snapshot of ${snapshot.created_at} was deleted.`,
        }
      },
    },
    refresh: {
      summary: 'bring the list of snapshots up to what the repositories hold',
      args: [ACCOUNT],
      options: [['--location <name>', '"local", or a remote target; default: all']],
      examples: ['berth snapshots refresh alice'],
      order: async ({ panel, args: [name], options }) => ({
        to: api`POST /api/backups/snapshots/accounts/${await accountId(panel, name)}/refresh`,
        body: given(options.texts('location')),
        done(data) {
          const { added, forgotten } = known<{ added: number; forgotten: number }>(
            data,
            'added',
            'forgotten',
          )
          console.log(`${added} found, ${forgotten} gone.`)
        },
      }),
    },
    prove: {
      summary: 'prove that the backup of an account can be restored; exit code 1 when it cannot',
      note: 'The newest snapshot is restored to a scratch place and its dumps are loaded into scratch databases; of an account without snapshots the newest archive is read whole.',
      args: [['<account>', 'username or number']],
      options: [
        [
          '--kind <kind>',
          'trial: restore for a test; check: read back a part of the repository',
          { choices: ['trial', 'check'], preset: 'trial' },
        ],
      ],
      job: true,
      examples: ['berth snapshots prove alice', 'berth snapshots prove alice --kind check'],
      order: async ({ panel, args: [name], options }) => ({
        to: api`POST /api/backups/proofs`,
        body: { account_id: (await findAccount(panel, name)).id, ...options.texts('kind') },
        done(data) {
          const { ok, error, seconds, figures } = known<Proof>(data, 'ok', 'seconds', 'figures')
          if (!ok) return console.error(error)
          const size = sizeOf(figures.bytes)
          console.log(`Proved in ${seconds} s${size === null ? '' : `, ${size} read`}.`)
        },
        failed: (data) => !known<Proof>(data, 'ok').ok,
      }),
    },
    proofs: listCommand<Proof>({
      summary: 'list what was proved of the backups of all accounts',
      examples: ['berth snapshots proofs --per-page 20'],
      path: '/api/backups/proofs',
      sortable: ['at', 'username', 'location', 'seconds'],
      columns: [
        ['AT', 'at'],
        ['KIND', 'kind'],
        ['ACCOUNT', 'username'],
        ['LOCATION', 'location'],
        ['READ', 'figures', 'right', (row) => sizeOf(row.figures.bytes)],
        ['SECONDS', 'seconds', 'right'],
        ['PROVED', 'ok', null, (row) => (row.ok ? 'yes' : (row.error ?? 'no'))],
      ],
      empty: 'Nothing was proved yet.',
    }),
  },
}
