import { z } from 'zod'
import { conflict } from '../../errors.ts'
import { entered } from '../../services/access/login-user.ts'
import type { Services } from '../../services/services.ts'
import type { Caller } from '../access/caller.ts'
import type { PanelDeps } from '../deps.ts'
import { label, newPassword, numberText, text } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'
import { invitationTextSchema, membershipSchema } from './people-schema.ts'
import { SESSION_HEADERS, sessionSchema, startSession } from './session.ts'

const params = z.object({ account_id: numberText('account_id') })
const token = text('token', 256).min(1, 'token is required.').describe('Of the link.')

const on = routesOf('Authentication')
const OVER = 'The invitation was used, revoked, or has expired.'
const TOO_MANY = 'Too many failures, as for logins; Retry-After says for how many seconds.'
const NO_PERSON =
  'This session is not that of a person: log in with an e-mail address, or open the invitation where nobody is logged in.'

const personOf = ({ user }: Caller): number => {
  if (user.role !== 'person') throw conflict(NO_PERSON)
  return user.id
}

/** The accounts of a person, and joining one. */
export const membershipRoutes = (
  deps: PanelDeps,
  { people, invitations, auth, sessions, audit }: Services,
) => {
  const session = { ...deps, sessions }
  return [
    on.self.get('/api/auth/accounts', {
      summary: 'Lists the accounts that the caller belongs to',
      description: 'Of a person; empty for everybody else.',
      data: z.array(membershipSchema),
      async handle({ caller }) {
        if (caller.user.role !== 'person') return []
        const rows = await people.accountsOf(caller.user.id)
        return rows.map((row) => ({ ...row, current: row.account_id === caller.accountId }))
      },
    }),
    on.self.post('/api/auth/accounts/:account_id', {
      ownSession: true,
      summary: 'Goes to another account of the caller',
      description:
        'Answers as login does, with a session in that account which lasts as long as this one would have; this one ends.',
      params,
      data: sessionSchema,
      headers: SESSION_HEADERS,
      errors: { 404: 'The caller belongs to no such account.', 409: 'It is not active.' },
      async handle(call) {
        const { caller, params: chosen, reauthenticate } = call
        const user = await people.enter(personOf(caller), chosen.account_id)
        await reauthenticate()
        await auth.logout(caller)
        return startSession(session, user, call, {
          resumed: { expiresAtSecs: caller.expiresAtSecs },
        })
      },
    }),
    on.self.delete('/api/auth/accounts/:account_id', {
      ownSession: true,
      summary: 'Leaves an account',
      description:
        'As if its owner had removed the caller: sessions and API tokens in it end, and who belongs to no other account is deleted.',
      params,
      data: z.object({ account_id: z.int(), left: z.literal(true) }),
      errors: { 404: 'The caller belongs to no such account.' },
      async handle({ caller, params: { account_id } }) {
        await people.leave(personOf(caller), account_id)
        return { account_id, left: true as const }
      },
    }),
    on.self.post('/api/auth/invitation/join', {
      ownSession: true,
      summary: 'Answers an invitation as the person who is logged in',
      description: 'As going to the account, which the person belongs to from now on.',
      body: z.object({ token }),
      data: sessionSchema,
      headers: SESSION_HEADERS,
      errors: { 404: OVER, 409: 'The caller is no person, or belongs there.', 429: TOO_MANY },
      async handle(call) {
        const { caller, body, clientAddress: address } = call
        const personId = personOf(caller)
        const user = await invitations.acceptAs({ token: body.token, personId, address })
        await auth.logout(caller)
        return startSession(session, user, call, {
          resumed: { expiresAtSecs: caller.expiresAtSecs },
        })
      },
    }),
    on.open('/api/auth/invitation/look', {
      open: 'no-token',
      summary: 'What an invitation says',
      body: z.object({ token }),
      data: invitationTextSchema,
      errors: { 404: OVER, 429: TOO_MANY },
      handle: ({ body, clientAddress }) => invitations.look(body.token, clientAddress),
    }),
    on.open('/api/auth/invitation', {
      open: 'no-token',
      summary: 'Answers an invitation as somebody new',
      description:
        'Makes a person whose login is the address that the invitation is for, and answers as login does. Who has a login with the address gets 409: log in, and POST /api/auth/invitation/join.',
      body: z.object({
        token,
        name: label('name', 64).min(1, 'name is required.').describe('What people call you.'),
        password: newPassword('password'),
      }),
      data: sessionSchema,
      headers: SESSION_HEADERS,
      errors: {
        404: OVER,
        409: 'No new login can be made for it. It counts as a failure.',
        429: TOO_MANY,
      },
      async handle(call) {
        const { body, clientAddress: address } = call
        const user = await invitations.acceptAsNew({ ...body, address })
        audit.record({
          actor: user.username,
          role: user.role,
          via: null,
          action: 'POST /api/auth/invitation',
          summary: 'Answers an invitation as somebody new',
          target: entered(user),
          address,
          status: 200,
        })
        return startSession(session, user, call)
      },
    }),
  ]
}
