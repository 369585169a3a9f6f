import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { named, recordId, role, timestamp } from '../frame/common-schemas.ts'
import { numberText } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'

export const sessionViewSchema = named('StandingSession', {
  id: recordId(),
  role: role(),
  owner: z.string().describe('Username of whom it belongs to.'),
  account_id: z.int().nullable().describe('The account that it works in.'),
  current: z.boolean().describe('Whether this call is made in it.'),
  acting_admin: z
    .string()
    .nullable()
    .describe('The administrator who works as the account in it; null: the user itself.'),
  began_at: timestamp(),
  seen_at: timestamp().describe('When it was used last, to five minutes.'),
  expires_at: timestamp(),
  address: z.string().nullable().describe('Where it began. Null for accounts, of a visit.'),
  device: z
    .string()
    .nullable()
    .describe('Browser or program and system, as the client named itself. Null: it did not.'),
})

const params = z.object({ id: numberText('id') })
const on = routesOf('Sessions')

/** Who is logged in, and ending that. */
export const sessionRoutes = ({ sessions }: Services) => [
  on.account.list('/api/sessions', {
    summary: 'Lists the sessions that stand',
    description:
      'Administrators see those of everybody, everybody else the own: the account visits by administrators among them, a person those in every account. Of one user at most 100 stand at a time: one more ends the oldest. API tokens are no sessions.',
    sortable: ['id', 'owner', 'began_at', 'seen_at'],
    row: sessionViewSchema,
    rows: (list, { caller }) =>
      sessions.list(caller.role === 'admin' ? null : caller.user, caller, list),
  }),
  on.account.delete('/api/sessions', {
    level: 'read',
    ownSession: true,
    summary: 'Ends all other sessions of the caller',
    description: 'The one that asks stays. API tokens stay too.',
    data: z.object({ ended: z.int().min(0).describe('How many.') }),
    handle: async ({ caller }) => ({ ended: await sessions.endOthers(caller.user, caller.jti) }),
  }),
  on.account.delete('/api/sessions/:id', {
    level: 'read',
    ownSession: true,
    summary: 'Ends a session',
    description:
      'In force with its next request; what it streams ends too, and so do visits to accounts that began from it.',
    params,
    data: z.object({ id: z.int(), ended: z.literal(true) }),
    errors: { 404: 'No such session, or it has ended.' },
    async handle({ params: { id }, caller }) {
      await sessions.end(id, caller.role === 'admin' ? null : caller.user)
      return { id, ended: true as const }
    },
  }),
]
