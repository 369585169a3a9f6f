import { forbidden } from '../../errors.ts'
import type { Caller } from '../access/caller.ts'
import type { GuardedRoute } from '../frame/route.ts'

/** The machine's administrator at its command line: every right, and no user of the panel. */
export const LOCAL_ADMIN: Caller = {
  user: { role: 'admin', id: 0 },
  username: 'root@local',
  role: 'admin',
  accountId: null,
  member: null,
  personName: null,
  resellerId: null,
  apiToken: null,
  actingAdmin: null,
  jti: '',
  expiresAtSecs: 0,
}

/** Throws 403 for changes of the caller's own password, tokens and sessions: there is no such user. */
export const assertForLocal = ({
  action,
  method,
}: Pick<GuardedRoute, 'action' | 'method'>): void => {
  if (action === 'self' && method !== 'GET')
    throw forbidden(
      'This concerns the user who logged in, and root@local is none. Log in as an administrator for it.',
    )
}
