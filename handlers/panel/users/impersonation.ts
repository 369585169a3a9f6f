import { z } from 'zod'
import { conflict } from '../../errors.ts'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import type { PanelDeps } from '../deps.ts'
import { numberText } from '../frame/fields.ts'
import type { Route } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'
import { SESSION_HEADERS, sessionSchema, startSession } from './session.ts'

const VISIT_SECS = 60 * 60

const onAccounts = routesOf('Accounts')
const onAuthentication = routesOf('Authentication')

/** An administrator's way into an account. */
export const impersonationRoutes = (
  deps: PanelDeps,
  { auth, credentials, sessions }: Services,
): Route[] => [
  onAccounts.manage.post('/api/accounts/:id/login', {
    ownSession: true,
    summary: 'Logs the administrator or reseller in as an account',
    description:
      "Answers as login does, with a session of role account that lasts an hour and ends with the administrator's own rights. What is done in it is in the audit log under the account's name, with the administrator's beside it. What lets somebody in cannot be changed in it: passwords, keys for SFTP, API tokens, second factors, passkeys, people, invitations, sessions, the password of a database or of a protected folder, and the account's e-mail address (403); administrators do that under their own name. POST /api/auth/return leads back.",
    params: z.object({ id: numberText('id') }),
    before: ({ params, caller }) => authorize(caller, 'manage', params.id),
    data: sessionSchema,
    headers: SESSION_HEADERS,
    errors: { 404: 'No such account.', 409: 'The account is not active.' },
    async handle(call) {
      const { caller, params } = call
      const { account, adminNotBeforeSecs } = await credentials.visit(params.id, caller.user)
      // What ended the administrator's sessions since the guard looked must not date the new one behind itself.
      await call.reauthenticate()
      const visit = { admin: caller, lifetimeSecs: VISIT_SECS, notBeforeSecs: adminNotBeforeSecs }
      return startSession({ ...deps, sessions }, account, call, { visit })
    },
  }),
  onAuthentication.self.post('/api/auth/return', {
    summary: 'Returns from an account to who works as it',
    description:
      'For an administrator or reseller who logged in as an account: ends that visit and answers as login does, with the own session of who visited, which lasts no longer than it would have. No password is needed, because that session is still good: once that user logged out, changed the password or was locked, the visit is over too (401).',
    data: sessionSchema,
    headers: SESSION_HEADERS,
    errors: { 409: 'Nobody works as somebody else in this session.' },
    async handle(call) {
      const { adminSession } = call.caller
      if (adminSession === undefined) throw conflict('Only who works as an account can return.')
      const admin = await credentials.known(adminSession)
      await call.reauthenticate()
      await auth.logout(call.caller)
      return startSession({ ...deps, sessions }, admin, call, { resumed: adminSession })
    },
  }),
]
