import { z } from 'zod'
import { DOMAIN_NOT_FOUND } from '../services/lookup.ts'
import type { Services } from '../services/services.ts'
import { id, numberText, oneOf, text } from './fields.ts'
import { listRoute } from './list-route.ts'
import { authorize } from './policy.ts'
import type { Route } from './route.ts'
import { route } from './route.ts'
import { DOMAIN_TYPES, domainSchema } from './schemas/domain.ts'

const createSchema = z.object({
  account_id: id('account_id'),
  domain_name: text('domain_name'),
  domain_type: oneOf('domain_type', DOMAIN_TYPES),
  document_root: text('document_root', 8192).describe(
    "Absolute path inside the account's home; made when missing. Of an alias: that of an existing domain.",
  ),
})

const params = z.object({ id: numberText('id') })

const SORTABLE = [
  'id',
  'domain_name',
  'domain_type',
  'username',
  'ssl_status',
  'document_root',
  'created_at',
] as const

const tag = 'Domains'
const UNAVAILABLE = 'The host cannot do it at present; nothing is left half done.'

/** Domains of hosting accounts. */
export const domainRoutes = ({ domains }: Services): Route[] => [
  listRoute({
    path: '/api/domains',
    action: 'account',
    tag,
    summary: 'Lists the domains',
    description: 'A user of role account sees those of its own account.',
    sortable: SORTABLE,
    row: domainSchema,
    rows: (list) => domains.list(list),
  }),
  listRoute({
    path: '/api/domains/account/:id',
    action: 'account',
    tag,
    summary: 'Lists the domains of one account',
    params,
    sortable: SORTABLE,
    row: domainSchema,
    errors: { 404: 'No such account.' },
    before: ({ params, caller }) => authorize(caller, 'account', params.id),
    rows: (list, { params }) => domains.listOfAccount(params.id, list),
  }),
  route({
    method: 'POST',
    path: '/api/domains',
    action: 'account',
    tag,
    summary: 'Adds a domain',
    description:
      'Writes its virtual host and reloads the web server; answers when the site is served. www. of a primary or addon domain is an automatic alias unless taken. A name has one owner, and so have all names below it.',
    body: createSchema,
    data: domainSchema,
    errors: {
      403: 'The licence allows no further domain.',
      404: 'No such account.',
      409: 'The name is taken, lies around a name of another account, or the account has its primary domain already.',
      503: UNAVAILABLE,
    },
    async handle({ body, caller }) {
      authorize(caller, 'account', body.account_id)
      return domains.create({
        accountId: body.account_id,
        domainName: body.domain_name,
        domainType: body.domain_type,
        documentRoot: body.document_root,
        byAdministrator: caller.role === 'admin',
      })
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/domains/:id',
    action: 'account',
    tag,
    summary: 'Removes a domain',
    description:
      'Removes its virtual host and reloads the web server; the files of the document root stay.',
    params,
    data: z.object({ id: z.int(), deleted: z.literal(true) }),
    errors: {
      404: 'No such domain.',
      409: 'It is the primary domain, which goes with its account only, or it has aliases.',
      503: UNAVAILABLE,
    },
    async handle({ params: { id: domainId }, caller }) {
      const domain = await domains.get(domainId)
      authorize(caller, 'account', domain.account_id, DOMAIN_NOT_FOUND)
      await domains.remove(domainId)
      return { id: domainId, deleted: true as const }
    },
  }),
]
