import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { hostErrors, hostQuery } from '../hosts/host-query.ts'
import { id, numberText, oneOf, text } from '../frame/fields.ts'
import { authorize } from '../access/policy.ts'
import { routesOf } from '../frame/routes-of.ts'
import { snakeCased } from '../frame/spelling.ts'
import { ACCOUNT_STATUSES } from '../accounts/schema.ts'
import {
  accountPhpSchema,
  PHP_MODES,
  phpPoolSchema,
  phpSettingsSchema,
  phpTestSchema,
  phpVersionSchema,
} from './schema.ts'

const version = () => text('version', 16).regex(/^\d{1,2}\.\d{1,2}$/, 'version must look like 8.2.')

const testSchema = z.object({
  version: version(),
  mode: oneOf('mode', PHP_MODES),
  account_id: id('account_id')
    .optional()
    .describe('Whose user the script runs as. Default: one who owns nothing.'),
})

const versionSchema = z.object({
  version: version(),
  mode: oneOf('mode', PHP_MODES).optional().describe('Default: the present one stays.'),
})

const params = z.object({ account_id: numberText('account_id') })

const on = routesOf('PHP', { changes: 'develop' })
const NOT_FOUND = 'No such account.'
const UNAVAILABLE = 'The host cannot do it at present.'

/** PHP versions and what accounts run. */
export const phpRoutes = ({ php }: Services) => [
  on.self.get('/api/php/versions', {
    summary: 'Installed PHP versions',
    description: 'A user of role account is told of the machine that its account is on.',
    query: z.object(hostQuery),
    data: z.array(phpVersionSchema),
    errors: { ...hostErrors, 503: UNAVAILABLE },
    handle: ({ caller: { role, accountId }, query }) =>
      php.versions({
        accountId: role === 'account' && accountId !== null ? accountId : undefined,
        host: query.host,
      }),
  }),
  on.account.list('/api/php/config', {
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
  on.system.get('/api/php/pools', {
    summary: 'Running PHP of all accounts',
    description:
      'PHP of a site starts with the first request and ends when nobody asks for it; what does not run is not listed.',
    data: z.array(phpPoolSchema),
    errors: { 503: UNAVAILABLE },
    handle: async () => (await php.pools()).map(snakeCased),
  }),
  on.system.post('/api/php/test', {
    summary: 'Tests whether PHP works',
    description:
      "Starts PHP in a directory of its own, runs a script twice over the web server's way to it, and takes all of it away again. No site, and nothing in a home, is touched. A test that fails is answered too, with the reason in error.",
    body: testSchema,
    data: phpTestSchema,
    errors: {
      404: NOT_FOUND,
      409: 'Another test is under way, or the account is not active.',
      503: UNAVAILABLE,
    },
    async handle({ body }) {
      const done = await php.test(body.account_id ?? null, body.version, body.mode)
      return { ...snakeCased(done), ok: done.error === null }
    },
  }),
  on.account.get('/api/php/config/:account_id', {
    summary: 'What an account runs',
    params,
    data: phpSettingsSchema,
    errors: { 404: NOT_FOUND, 503: UNAVAILABLE },
    async handle({ params: { account_id }, caller }) {
      authorize(caller, 'account', account_id)
      return php.config(account_id)
    },
  }),
  on.account.post('/api/php/version/:account_id', {
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
