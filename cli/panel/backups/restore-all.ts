import type { z } from 'zod'
import type { refillSchema } from '#handlers/panel/backups/refill-routes.ts'
import { formatBytes } from '../../terminal/format.ts'
import type { Column } from '../../terminal/print-table.ts'
import { printTable } from '../../terminal/print-table.ts'
import { printable } from '../../terminal/printable.ts'
import { given } from '../frame/command-options.ts'
import type { CommandSpec } from '../frame/command-types.ts'
import { known } from '../frame/known.ts'
import { api } from '../frame/panel-client.ts'

type Refills = z.output<typeof refillSchema>

const STATES = {
  waiting: 'waiting',
  done: 'done',
  none: 'no backup',
  failed: 'FAILED',
} as const

const COLUMNS: readonly Column<Refills['accounts'][number]>[] = [
  { title: 'ACCOUNT', value: (one) => one.username },
  { title: 'STATE', value: (one) => STATES[one.state] },
  { title: 'BACKUP OF', value: (one) => one.backed_up_at },
  { title: 'FROM', value: (one) => one.location },
  { title: 'FILES', value: (one) => one.files, right: true },
  { title: 'SIZE', value: (one) => formatBytes(one.bytes), right: true },
  { title: 'DATABASES', value: (one) => one.databases, right: true },
  { title: 'DOMAINS', value: (one) => one.domains, right: true },
  { title: 'CERTIFICATES', value: (one) => one.certificates, right: true },
]

const show = (data: unknown): void => {
  const { imported_at: at, accounts } = known<Refills>(data, 'imported_at', 'accounts')
  if (at === null) return console.log('This panel was not brought back by an import.')
  printTable(accounts, COLUMNS, 'The import brought no accounts.')
  for (const { username, notes } of accounts)
    for (const note of notes) console.error(`${username}: ${printable(note)}`)
}

const isUnfinished = (data: unknown): boolean =>
  known<Refills>(data, 'accounts').accounts.some(
    ({ state }) => state === 'waiting' || state === 'failed',
  )

/** `berth backups restore-all`. */
export const restoreAll: CommandSpec = {
  summary: 'after berth panel import: bring back the contents of the accounts from their backups',
  note: 'The newest backup of each account that is still empty; where it cannot be read the next older one. What is done is not done again, so run it again after a break. Exit code 1 when an account was not brought back.',
  options: [
    ['--from <name>', '"local", or a remote target; default: wherever there is a copy'],
    ['--at-once <number>', 'how many accounts at a time', { preset: '2' }],
    ['--account <username>', 'this one alone, also when it is done already', { repeatable: true }],
  ],
  job: true,
  examples: [
    'berth backups restore-all',
    'berth backups restore-all --from offsite --at-once 4',
    'berth backups restore-all --account alice --from local',
  ],
  order: ({ options }) => ({
    to: api`POST /api/backups/refills`,
    body: given<unknown>({
      from: options.text('from'),
      at_once: options.number('atOnce', [1, 16]),
      accounts: options.list('account'),
    }),
    done: show,
    failed: isUnfinished,
  }),
}

/** `berth backups restored`. */
export const restoredList: CommandSpec = {
  summary: 'after berth panel import: how far the accounts are',
  examples: ['berth backups restored'],
  order: () => ({ to: api`GET /api/backups/refills`, done: show }),
}
