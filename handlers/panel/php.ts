import { z } from 'zod'
import type { Services } from '../services/services.ts'
import { numberText, oneOf, text } from './fields.ts'
import { listRoute } from './list-route.ts'
import { authorize } from './policy.ts'
import type { Route } from './route.ts'
import { route } from './route.ts'
import { ACCOUNT_STATUSES } from './schemas/account.ts'
import { accountPhpSchema, PHP_MODES, phpSettingsSchema, phpVersionSchema } from './schemas/php.ts'

const versionSchema = z.object({
  version: text('version', 16).regex(/^\d{1,2}\.\d{1,2}$/, 'version must look like 8.2.'),
  mode: oneOf('mode', PHP_MODES).optional().describe('Default: the present one stays.'),
})

const params = z.object({ account_id: numberText('account_id') })

const tag = 'PHP'
const NOT_FOUND = 'No such account.'
const UNAVAILABLE = 'The host cannot do it at present.'

/** PHP versions and what accounts run. */
export const phpRoutes = ({ php }: Services): Route[] => [
  route({
    method: 'GET',
    path: '/api/php/versions',
    action: 'self',
    tag,
    summary: 'Installed PHP versions',
    data: z.array(phpVersionSchema),
    errors: { 503: UNAVAILABLE },
    handle: () => php.versions(),
  }),
  listRoute({
    path: '/api/php/config',
    action: 'account',
    tag,
    summary: 'What each account runs',
    description: 'A user of role account sees its own account alone.',
    sortable: ['id', 'username', 'primary_domain', 'status'],
    filters: {
      status: oneOf('status', ACCOUNT_STATUSES)
        .optional()
        .describe('Only accounts of this status.'),
    },
    row: accountPhpSchema,
    errors: { 503: UNAVAILABLE },
    rows: (list) => php.list(list),
  }),
  route({
    method: 'GET',
    path: '/api/php/config/:account_id',
    action: 'account',
    tag,
    summary: 'What an account runs',
    params,
    data: phpSettingsSchema,
    errors: { 404: NOT_FOUND, 503: UNAVAILABLE },
    async handle({ params: { account_id }, caller }) {
      authorize(caller, 'account', account_id)
      return php.config(account_id)
    },
  }),
  route({
    method: 'POST',
    path: '/api/php/version/:account_id',
    action: 'account',
    tag,
    summary: 'Sets version and mode of an account',
    params,
    body: versionSchema,
    data: phpSettingsSchema,
    errors: {
      403: 'Mode lsapi needs a Pro or Business licence.',
      404: NOT_FOUND,
      409: 'The version is being changed already, or the account is not active.',
      503: UNAVAILABLE,
    },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    handle: ({ params: { account_id }, body }) =>
      php.setVersion(account_id, body.version, body.mode),
  }),
]
