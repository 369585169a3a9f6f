import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { count, named, recordId, timestamp } from '../frame/common-schemas.ts'
import { text } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'

/** What became of accounts that an import of the panel left empty. */
export const refillSchema = named('Refills', {
  imported_at: timestamp()
    .nullable()
    .describe('When the panel was brought back; null: it never was.'),
  accounts: z.array(
    z.object({
      account_id: recordId(),
      username: z.string(),
      state: z
        .enum(['waiting', 'done', 'none', 'failed'])
        .describe('waiting: nothing was brought back yet. none: there is no backup of it.'),
      backup: z.string().nullable().describe('The backup that was brought back.'),
      location: z.string().nullable().describe('"local", or the name of a remote target.'),
      backed_up_at: timestamp().nullable(),
      files: count().describe('Of the home.'),
      bytes: count(),
      databases: count(),
      domains: count(),
      certificates: count().describe('Domains whose certificate is in force.'),
      notes: z.array(z.string()).describe('What is otherwise than it was, and why.'),
      ended_at: timestamp().nullable(),
    }),
  ),
})

const orderSchema = z.object({
  from: text('from', 32)
    .optional()
    .describe('"local", or the name of a remote target. Default: wherever there is a copy.'),
  at_once: z
    .int({ error: 'at_once must be a whole number.' })
    .min(1, 'at_once must be at least 1.')
    .max(16, 'at_once must be at most 16.')
    .default(2)
    .describe('How many accounts at a time.'),
  accounts: z
    .array(text('accounts', 32))
    .max(10_000)
    .optional()
    .describe('Usernames, also of accounts that are whole already. Default: all that wait.'),
})

const on = routesOf('Backups')

/** Contents of the accounts after an import of the panel; for administrators alone. */
export const refillRoutes = ({ refills }: Services) => [
  on.system.get('/api/backups/refills', {
    summary: 'How far the accounts of an import are',
    description:
      'An import of the panel makes its accounts with empty homes and databases. Until one is filled, the schedule makes no backups of it and removes none.',
    data: refillSchema,
    handle: () => refills.list(),
  }),
  on.system.post('/api/backups/refills', {
    summary: 'Brings back the contents of the accounts of an import',
    description:
      'The newest backup of each, also of suspended ones, several at a time; where it cannot be read the next older one. A failure stops none of the others. What is done is not done again, so the same call goes on after a break.',
    body: orderSchema,
    bodyOptional: true,
    strict: true,
    data: refillSchema,
    errors: {
      409: 'The panel was not brought back by an import.',
      503: 'The host does not answer.',
    },
    job: {
      kind: 'backup.refill',
      about: ({ body: { accounts } }) => ({
        subject: accounts === undefined ? 'all' : accounts.join(', '),
        accountId: null,
      }),
    },
    handle: ({ body: { from = null, at_once: atOnce, accounts = null }, report }) =>
      refills.run({ from, atOnce, accounts }, report),
  }),
]
