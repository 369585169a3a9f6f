import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { loginLanguage } from '../../services/notifications/people.ts'
import { authorize } from '../access/policy.ts'
import { recordId } from '../frame/common-schemas.ts'
import { numberText } from '../frame/fields.ts'
import type { Call, Route } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import {
  invitationSchema,
  loginAddress,
  memberRole,
  memberSchema,
  personSchema,
} from './people-schema.ts'

const ofAccount = z.object({ id: numberText('id') })
const member = ofAccount.extend({ person_id: numberText('person_id') })
const invitation = ofAccount.extend({ invitation_id: numberText('invitation_id') })

const on = routesOf('People')
const NO_ACCOUNT = 'No such account.'
const NO_MEMBER = 'No such person in the account.'
const NO_PERSON = 'No such person.'
const OWNERS = 'For owners of the account and administrators.'

const own = ({ params, caller }: Call<{ id: number }>): void =>
  authorize(caller, 'account', params.id)

/** Who works in an account beside its own login, and who is invited to. */
export const peopleRoutes = ({ people, invitations }: Services): Route[] => [
  on.account.list('/api/accounts/:id/people', {
    level: 'own',
    summary: 'Lists the people of an account',
    description: `${OWNERS} The account's own login is not among them: it is an owner always.`,
    params: ofAccount,
    sortable: ['email', 'name', 'role', 'created_at', 'seen_at'],
    row: memberSchema,
    errors: { 404: NO_ACCOUNT },
    before: own,
    rows: (list, { params: { id } }) => people.list(id, list),
  }),
  on.account.patch('/api/accounts/:id/people/:person_id', {
    ownSession: true,
    summary: 'Changes what a person may do in an account',
    description: `${OWNERS} Sessions and API tokens of the person in the account end, what they stream or upload too.`,
    params: member,
    body: z.object({ role: memberRole() }),
    data: memberSchema,
    errors: { 404: NO_MEMBER },
    before: own,
    handle: ({ params: { id, person_id }, body: { role } }) => people.setRole(id, person_id, role),
  }),
  on.account.delete('/api/accounts/:id/people/:person_id', {
    ownSession: true,
    summary: 'Removes a person from an account',
    description: `${OWNERS} Sessions and API tokens of the person in the account end at once. A person that belongs to no other account is deleted, with all its ways in.`,
    params: member,
    data: z.object({
      id: recordId(),
      removed: z.literal(true),
      person_gone: z.boolean().describe('Whether it belonged to no other account.'),
    }),
    errors: { 404: NO_MEMBER },
    before: own,
    async handle({ params: { id, person_id } }) {
      const { person_gone } = await people.remove(id, person_id)
      return { id: person_id, removed: true as const, person_gone }
    },
  }),
  on.account.get('/api/accounts/:id/invitations', {
    level: 'own',
    summary: 'Lists the invitations of an account that stand',
    description: `${OWNERS} Newest first.`,
    params: ofAccount,
    data: z.array(invitationSchema),
    errors: { 404: NO_ACCOUNT },
    before: own,
    handle: ({ params: { id } }) => invitations.list(id),
  }),
  on.account.post('/api/accounts/:id/invitations', {
    ownSession: true,
    summary: 'Invites a person to an account',
    description: `${OWNERS} Answers the secret of a link, <panel>/invitation#<token>, which is good once and for seven days; whoever has it may answer. Where the panel has a relay for mail and a certificate for a name, it is sent to the address, too; at most 20 of an account and three to one address in an hour. An earlier invitation of the address ends.`,
    params: ofAccount,
    body: z.object({ email: loginAddress(), role: memberRole() }),
    data: invitationSchema.extend({
      token: z.string().describe('Shown this once; only a hash of it is kept.'),
      mailed: z
        .boolean()
        .describe(
          'Whether the link was sent to the address, too, which says nothing of who has it.',
        ),
    }),
    errors: {
      403: 'The account has as many people and invitations as its plan allows.',
      404: NO_ACCOUNT,
      409: 'The address belongs to a person of the account, or the account is not active.',
    },
    before: own,
    handle: ({ params: { id }, body: { email, role }, caller, request, reauthenticate }) =>
      invitations.create({
        accountId: id,
        email,
        role,
        invitedBy: caller.username,
        byAdministrator: caller.role === 'admin',
        language: loginLanguage(request.headers) ?? 'en',
        stillAllowed: reauthenticate,
      }),
  }),
  on.account.delete('/api/accounts/:id/invitations/:invitation_id', {
    ownSession: true,
    summary: 'Revokes an invitation',
    description: OWNERS,
    params: invitation,
    data: z.object({ id: recordId(), deleted: z.literal(true) }),
    errors: { 404: 'No such invitation in the account, or it has expired or was answered.' },
    before: own,
    async handle({ params: { id, invitation_id } }) {
      await invitations.revoke(id, invitation_id)
      return { id: invitation_id, deleted: true as const }
    },
  }),
  on.system.list('/api/people', {
    summary: 'Lists the people of all accounts',
    sortable: ['email', 'name', 'created_at'],
    row: personSchema,
    rows: (list) => people.listAll(list),
  }),
  on.system.patch('/api/people/:id', {
    ownSession: true,
    summary: "Takes a person's second factor off",
    description: 'For who lost device and recovery codes. The password stays.',
    params: ofAccount,
    body: z.object({
      second_factor: z.literal(false, { error: 'second_factor can only be set to false.' }),
    }),
    data: personSchema,
    errors: { 404: NO_PERSON },
    handle: ({ params: { id } }) => people.removeSecondFactor(id),
  }),
  on.system.delete('/api/people/:id', {
    ownSession: true,
    summary: 'Deletes a person',
    description:
      'From every account, with its sessions, API tokens, passkeys and second factor. Who forgot the password is deleted and invited anew.',
    params: ofAccount,
    data: z.object({ id: recordId(), deleted: z.literal(true) }),
    errors: { 404: NO_PERSON },
    async handle({ params: { id } }) {
      await people.delete(id)
      return { id, deleted: true as const }
    },
  }),
]
