import { z } from 'zod'
import { siteBackend } from '../../domain/site-settings/backends/backend-schema.ts'
import { passedPath } from '../../domain/site-settings/passed-path.ts'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { numberText } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'
import { siteBackendAnswer } from './schema.ts'
import { permitDomain } from './permit-domain.ts'

const params = z.object({ id: numberText('id') })
const on = routesOf('Domains', { changes: 'develop' })
const NOT_FOUND = 'No such domain.'
const data = z.array(siteBackendAnswer)
const errors = {
  404: NOT_FOUND,
  409: 'An alias, which has the backends of its site, or the account is not active.',
  503: 'The host cannot do it at present; nothing is left half done.',
}

/** What answers paths of sites in place of their files. */
export const siteBackendRoutes = ({ domains, siteBackends }: Services) => {
  const permit = permitDomain({ domains })
  return [
    on.account.get('/api/domains/:id/backends', {
      summary: 'What answers paths of a site in place of its files, and how it fares',
      description:
        'Applications of the account, and servers elsewhere. Of all paths the longest that fits answers, before the application of the whole site; a folder of the site below the path of a backend goes first.',
      params,
      data,
      errors: { 404: NOT_FOUND },
      async handle({ params: { id }, caller }) {
        await permit(id, caller)
        return siteBackends.list(id)
      },
    }),
    on.account.put('/api/domains/:id/backends', {
      summary: 'Has a path of a site answered by an application or by servers',
      description:
        "In place of what answered it before. Servers must lie in the internet, at ports 80, 443 or from 1024 up: what their names lead to is judged for each connection, and this machine's own addresses are refused as well. The account's programs are named by application. An administrator may say internal, and then they may lie anywhere but at Berth's own ports. A request goes to the server that has the fewest under way for its weight. Writes the virtual host, reloads the web server and purges the pages of the site; if that fails, everything is as before.",
      params,
      body: siteBackend,
      data,
      errors: { ...errors, 403: 'internal, which is for administrators.' },
      before: ({ params, caller }) => permit(params.id, caller),
      async handle({ params: { id }, body, caller }) {
        if (body.internal) authorize(caller, 'system')
        return siteBackends.put(id, body)
      },
    }),
    on.account.delete('/api/domains/:id/backends', {
      summary: 'Has a path of a site answered by its files again',
      params,
      query: z.object({ path: passedPath('path') }),
      data,
      errors: { ...errors, 404: 'No such domain, or no backend answers the path.' },
      before: ({ params, caller }) => permit(params.id, caller),
      async handle({ params: { id }, query }) {
        return siteBackends.remove(id, query.path)
      },
    }),
  ]
}
