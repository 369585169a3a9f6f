import { z } from 'zod'
import { DOMAIN_NOT_FOUND } from '../services/lookup.ts'
import type { Services } from '../services/services.ts'
import { id, oneOf, text } from './fields.ts'
import { readBody, readId } from './input.ts'
import { listResponse, readListQuery } from './list-query.ts'
import { authorize } from './policy.ts'
import type { Route } from './route.ts'

const createSchema = z.object({
  account_id: id('account_id'),
  domain_name: text('domain_name'),
  domain_type: oneOf('domain_type', ['primary', 'addon', 'subdomain', 'alias']),
  document_root: text('document_root', 8192),
})

const SORTABLE = [
  'id',
  'domain_name',
  'domain_type',
  'username',
  'ssl_status',
  'document_root',
  'created_at',
] as const

/** Domains of hosting accounts. */
export const domainRoutes = ({ domains }: Services): Route[] => [
  {
    method: 'GET',
    path: '/api/domains',
    action: 'account',
    async handle({ query, caller }) {
      const list = readListQuery(query, SORTABLE)
      if (caller.accountId !== null) list.accountId = caller.accountId
      return listResponse(await domains.list(list))
    },
  },
  {
    method: 'GET',
    path: '/api/domains/account/:id',
    action: 'account',
    async handle({ params, query, caller }) {
      const accountId = readId(params['id'], 'id')
      authorize(caller, 'account', accountId)
      return listResponse(await domains.listOfAccount(accountId, readListQuery(query, SORTABLE)))
    },
  },
  {
    method: 'POST',
    path: '/api/domains',
    action: 'account',
    async handle({ request, caller }) {
      const input = await readBody(request, createSchema)
      authorize(caller, 'account', input.account_id)
      return domains.create({
        accountId: input.account_id,
        domainName: input.domain_name,
        domainType: input.domain_type,
        documentRoot: input.document_root,
        byAdministrator: caller.role === 'admin',
      })
    },
  },
  {
    method: 'DELETE',
    path: '/api/domains/:id',
    action: 'account',
    async handle({ params, caller }) {
      const domainId = readId(params['id'], 'id')
      const domain = await domains.get(domainId)
      authorize(caller, 'account', domain.account_id, DOMAIN_NOT_FOUND)
      await domains.remove(domainId)
      return { id: domainId, deleted: true }
    },
  },
]
