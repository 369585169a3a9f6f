import { z } from 'zod'
import type { Services } from '../../../services/services.ts'
import { id, oneOf, text } from '../../frame/fields.ts'
import { routesOf } from '../../frame/routes-of.ts'
import { proofSchema } from './schema.ts'

const on = routesOf('Snapshots')

/** Proofs of backups; for administrators alone. */
export const proofRoutes = ({ proofs, accounts }: Services) => [
  on.system.list('/api/backups/proofs', {
    summary: 'Lists the proofs of backups',
    description:
      'Newest first. Each week a twelfth of every repository is read back, one account is restored for a test with its dumps loaded into scratch databases, and of the accounts without snapshots one archive is read whole.',
    sortable: ['at', 'username', 'location', 'seconds'],
    filters: {
      kind: oneOf('kind', ['check', 'trial']).optional(),
      location: text('location', 32).optional(),
      username: text('username', 32).optional(),
    },
    row: proofSchema,
    rows: (list) => proofs.list(list),
  }),
  on.system.post('/api/backups/proofs', {
    summary: 'Proves the backups of an account now',
    description:
      'Its newest snapshot, or where it has none its newest archive, which is then read back. What cannot be proved is answered with ok: false.',
    body: z.object({
      account_id: id('account_id'),
      kind: oneOf('kind', ['check', 'trial'])
        .default('trial')
        .describe('check: read back; trial: restore for a test.'),
    }),
    strict: true,
    data: proofSchema,
    errors: { 404: 'No such account, or it has no backup.' },
    job: {
      kind: 'backup.prove',
      about: async ({ body: { account_id } }) => ({
        subject: (await accounts.get(account_id)).username,
        accountId: null,
      }),
    },
    handle: ({ body, report }) => proofs.prove(body.account_id, body.kind, report),
  }),
]
