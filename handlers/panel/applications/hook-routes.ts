import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { numberText } from '../frame/fields.ts'
import { readBodyBytes } from '../frame/input.ts'
import type { Call } from '../frame/route.ts'
import { routesOf } from '../frame/routes-of.ts'

const params = z.object({ account_id: numberText('account_id'), name: z.string().max(64) })
const hookParams = z.object({ hook: z.string().max(64) })

/** A message about a push names its commits; of the largest pushes hosts tell some alone. */
const MOST_BYTES = 2 ** 20

const on = routesOf('Applications', { changes: 'develop' })
const NOT_FOUND = 'No such account or application.'
const before = ({ params, caller }: Call<{ account_id: number }>): void =>
  authorize(caller, 'account', params.account_id)

/** Path of a hook, below the address of the panel. */
export const hookPath = (id: string): string => `/api/hooks/applications/${id}`

/** By what hosts of repositories ask for deployments. */
export const hookRoutes = ({ applicationHooks, audit }: Services) => [
  on.account.post('/api/applications/:account_id/:name/hook', {
    summary: 'Makes the hook of an application, or a new one',
    description:
      'An address that a host of repositories calls after a push, and a secret by which it shows who it is. The secret is answered here alone; the one before is good no more.',
    params,
    strict: true,
    data: z.object({
      url: z.string(),
      path: z.string().describe('Of the address, below that of the panel.'),
      secret: z.string(),
    }),
    errors: { 404: NOT_FOUND, 409: 'The account is being made or deleted.' },
    before,
    async handle({ params: { account_id, name }, ownOrigin }) {
      const { id, secret } = await applicationHooks.renew(account_id, name)
      return { url: `${ownOrigin}${hookPath(id)}`, path: hookPath(id), secret }
    },
  }),
  on.account.delete('/api/applications/:account_id/:name/hook', {
    summary: 'Removes the hook of an application',
    params,
    data: z.object({ name: z.string(), removed: z.literal(true) }),
    errors: { 404: NOT_FOUND },
    before,
    async handle({ params: { account_id, name } }) {
      await applicationHooks.remove(account_id, name)
      return { name, removed: true as const }
    },
  }),
  on.open('/api/hooks/applications/:hook', {
    open: 'no-token',
    summary: 'Asks for a deployment after a push',
    description:
      'For hosts of repositories: GitHub, Gitea and Forgejo sign what they send with the secret (X-Hub-Signature-256), GitLab and everybody else sends the secret itself (X-Gitlab-Token). A push to another branch, and what is no push, is answered and starts nothing; without a body nothing is compared. The deployment goes on behind the answer.',
    params: hookParams,
    rawBody: {
      mediaTypes: ['application/json'],
      description: 'What the host tells about the push, at most 1 MiB; or nothing.',
    },
    data: z.object({
      job_id: z.string().nullable().describe('The job that deploys it.'),
      reason: z.string().nullable().describe('Why nothing is deployed.'),
    }),
    errors: {
      401: 'The secret is missing or wrong.',
      404: 'There is no such hook.',
      409: 'The account is not active.',
      413: 'The body is larger than 1 MiB.',
      429: 'Too many deployments wait already.',
    },
    // Of an address that nobody knows no body is read.
    before: ({ params: { hook } }) => applicationHooks.assertThere(hook),
    async handle({ params: { hook }, request, clientAddress }) {
      const { headers } = request
      const { job_id, reason, username, name, accountId } = await applicationHooks.take({
        id: hook,
        body: await readBodyBytes(request, MOST_BYTES),
        signature: headers.get('x-hub-signature-256'),
        token: headers.get('x-gitlab-token'),
        event: headers.get('x-github-event') ?? headers.get('x-gitlab-event'),
      })
      if (job_id !== null)
        audit.record({
          actor: username,
          role: 'account',
          via: 'hook',
          action: 'POST /api/hooks/applications/:hook',
          summary: 'Asks for a deployment after a push',
          target: `account_id=${accountId} name=${name}`,
          address: clientAddress,
          status: 200,
        })
      return { job_id, reason }
    },
  }),
]
