import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { numberText, oneOf } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'
import { SFTP_LOGIN_KINDS, sftpLoginSchema, sftpLoginView } from './schema.ts'

const on = routesOf('SFTP')
const sortable = ['began_at', 'ended_at', 'login', 'address'] as const
const filters = {
  way: oneOf('way', ['key', 'password']).optional().describe('Only those by this.'),
  kind: oneOf('kind', SFTP_LOGIN_KINDS).optional().describe('Only those that asked for this.'),
  outcome: oneOf('outcome', ['in', 'failed'])
    .optional()
    .describe('in: only those that came in; failed: only attempts that did not.'),
}
const KEPT =
  'The newest first. Of each account the newest 200 of the last 90 days are kept, and as many attempts that failed. A failed attempt is a password that was not taken, of a name that there is; those from one address within an hour are one row. Keys that open nothing are not counted.'

/** Who logged in over SFTP and SSH. */
export const sftpLoginRoutes = ({ sftpLogins }: Services) => [
  on.system.list('/api/sftp-logins', {
    summary: 'Lists who logged in to any account over SFTP, or tried to',
    description: KEPT,
    sortable,
    filters,
    row: sftpLoginSchema,
    async rows(list) {
      const { rows, total } = await sftpLogins.list(null, list)
      return { rows: rows.map(sftpLoginView), total }
    },
  }),
  on.account.list('/api/sftp-logins/:account_id', {
    summary: 'Lists who logged in to an account over SFTP, or tried to',
    description: KEPT,
    sortable,
    filters,
    params: z.object({ account_id: numberText('account_id') }),
    row: sftpLoginSchema,
    errors: { 404: 'No such account.' },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    async rows(list, { params }) {
      const { rows, total } = await sftpLogins.list(params.account_id, list)
      return { rows: rows.map(sftpLoginView), total }
    },
  }),
]
