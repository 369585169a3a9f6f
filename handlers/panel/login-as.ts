import { z } from 'zod'
import type { Services } from '../services/services.ts'
import type { PanelDeps } from './deps.ts'
import { numberText } from './fields.ts'
import type { Route } from './route.ts'
import { route } from './route.ts'
import { SESSION_HEADERS, sessionSchema, startSession } from './session.ts'

const VISIT_SECS = 60 * 60

/** An administrator's way into an account. */
export const loginAsRoutes = (deps: PanelDeps, { credentials }: Services): Route[] => [
  route({
    method: 'POST',
    path: '/api/accounts/:id/login',
    action: 'system',
    ownSession: true,
    tag: 'Accounts',
    summary: 'Logs the administrator in as an account',
    description:
      "Answers as login does, with a session of role account that lasts an hour and ends with the administrator's own rights. What is done in it is in the audit log under the account's name, with the administrator's beside it. It cannot touch the account's password, second factor or API tokens.",
    params: z.object({ id: numberText('id') }),
    data: sessionSchema,
    headers: SESSION_HEADERS,
    errors: { 404: 'No such account.', 409: 'The account is not active.' },
    async handle({ params: { id }, caller, secure }) {
      const { account, adminNotBeforeSecs } = await credentials.visit(id, caller)
      return startSession(
        deps,
        account,
        { secure },
        { admin: caller, lifetimeSecs: VISIT_SECS, notBeforeSecs: adminNotBeforeSecs },
      )
    },
  }),
]
