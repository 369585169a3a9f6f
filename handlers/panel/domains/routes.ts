import { z } from 'zod'
import { DOMAIN_NOT_FOUND } from '../../services/records/lookup.ts'
import type { Services } from '../../services/services.ts'
import { cachePaths, cacheTtl } from '../cache/fields.ts'
import { changes, flag, id, numberText, oneOf, text } from '../frame/fields.ts'
import { authorize } from '../access/policy.ts'
import { routesOf } from '../frame/routes-of.ts'
import { DOMAIN_TYPES, domainSchema } from './schema.ts'

/** What both a new domain and a change may set. */
const settings = {
  php_version: text('php_version', 16)
    .regex(/^\d{1,2}\.\d{1,2}$/, 'php_version must look like 8.2.')
    .nullish()
    .describe("Null: the account's."),
  cache_enabled: flag('cache_enabled').optional(),
  cache_ttl: cacheTtl('cache_ttl').optional(),
  cache_exclude: cachePaths('cache_exclude').optional(),
}

const changeSchema = changes(
  {
    ...settings,
    document_root: text('document_root', 8192)
      .optional()
      .describe("Absolute path inside the account's home; made when missing."),
    redirect_https: flag('redirect_https').optional().describe('Whether http leads to https.'),
    hsts: flag('hsts')
      .optional()
      .describe('Whether https answers carry Strict-Transport-Security, for half a year.'),
    default_host: flag('default_host')
      .optional()
      .describe(
        'Whether it answers at names that lead here and are no site, also those of deleted accounts; for administrators.',
      ),
  },
  [
    'document_root',
    'php_version',
    'cache_enabled',
    'cache_ttl',
    'cache_exclude',
    'redirect_https',
    'hsts',
    'default_host',
  ],
)

const createSchema = z.object({
  ...settings,
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

const filters = {
  domain_type: oneOf('domain_type', DOMAIN_TYPES).optional().describe('Only of this type.'),
  ssl_status: oneOf('ssl_status', ['none', 'active'])
    .optional()
    .describe('Only with or without a certificate.'),
  cache_enabled: oneOf('cache_enabled', ['true', 'false'])
    .optional()
    .describe('Only with the page cache on or off.'),
}

const on = routesOf('Domains', { changes: 'develop' })
const UNAVAILABLE = 'The host cannot do it at present; nothing is left half done.'

/** Domains of hosting accounts. */
export const domainRoutes = ({ domains }: Services) => [
  on.account.list('/api/domains', {
    summary: 'Lists the domains',
    description: 'A user of role account sees those of its own account.',
    sortable: SORTABLE,
    filters,
    row: domainSchema,
    rows: (list) => domains.list(list),
  }),
  on.account.list('/api/domains/account/:id', {
    summary: 'Lists the domains of one account',
    params,
    sortable: SORTABLE,
    filters,
    row: domainSchema,
    errors: { 404: 'No such account.' },
    before: ({ params, caller }) => authorize(caller, 'account', params.id),
    rows: (list, { params }) => domains.listOfAccount(params.id, list),
  }),
  on.account.post('/api/domains', {
    summary: 'Adds a domain',
    description:
      'Writes its virtual host and reloads the web server; answers when the site is served. www. of a primary or addon domain is an automatic alias unless taken. A name has one owner, and so have all names below it.',
    body: createSchema,
    data: domainSchema,
    errors: {
      403: 'The account has as many domains as its plan allows, which an administrator may exceed, or the licence allows no further one: of its domains one is kept for each account that it still allows, which only an administrator can use.',
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
        settings: body,
        byAdministrator: caller.role === 'admin',
      })
    },
  }),
  on.account.get('/api/domains/:id', {
    summary: 'One domain',
    params,
    data: domainSchema,
    errors: { 404: 'No such domain.' },
    async handle({ params: { id }, caller }) {
      const domain = await domains.get(id)
      authorize(caller, 'account', domain.account_id, DOMAIN_NOT_FOUND)
      return domain
    },
  }),
  on.account.patch('/api/domains/:id', {
    summary: 'Changes the settings of a domain',
    description:
      'Writes its virtual host, reloads the web server and purges its pages; if that fails, everything is as before. An alias has the settings of its site. The new document root is made when missing; what lies in the old one stays.',
    params,
    body: changeSchema,
    data: domainSchema,
    errors: {
      404: 'No such domain.',
      403: 'default_host, which is for administrators.',
      409: 'Settings of an alias, a second default_host, redirect_https or hsts without a certificate, a document root that aliases need, or the account is not active.',
      503: UNAVAILABLE,
    },
    async before({ params, caller }) {
      const { account_id } = await domains.get(params.id)
      authorize(caller, 'account', account_id, DOMAIN_NOT_FOUND)
    },
    handle({ params: { id }, body, caller }) {
      if (body.default_host !== undefined) authorize(caller, 'system')
      return domains.change(id, body)
    },
  }),
  on.account.delete('/api/domains/:id', {
    level: 'own',
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
