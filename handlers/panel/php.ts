import { z } from 'zod'
import type { Services } from '../services/services.ts'
import { oneOf, text } from './fields.ts'
import { readBody, readId } from './input.ts'
import { authorize } from './policy.ts'
import type { Route } from './route.ts'

const versionSchema = z.object({
  version: text('version', 16).regex(/^\d{1,2}\.\d{1,2}$/, 'version must look like 8.2.'),
  mode: oneOf('mode', ['cgi', 'fpm', 'lsapi']).optional(),
})

/** PHP versions and what accounts run. */
export const phpRoutes = ({ php }: Services): Route[] => [
  { method: 'GET', path: '/api/php/versions', action: 'self', handle: () => php.versions() },
  {
    method: 'GET',
    path: '/api/php/config/:account_id',
    action: 'account',
    async handle({ params, caller }) {
      const accountId = readId(params['account_id'], 'account_id')
      authorize(caller, 'account', accountId)
      return php.config(accountId)
    },
  },
  {
    method: 'POST',
    path: '/api/php/version/:account_id',
    action: 'account',
    async handle({ params, request, caller }) {
      const accountId = readId(params['account_id'], 'account_id')
      authorize(caller, 'account', accountId)
      const input = await readBody(request, versionSchema)
      return php.setVersion(accountId, input.version, input.mode)
    },
  },
]
