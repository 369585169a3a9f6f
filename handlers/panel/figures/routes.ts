import { z } from 'zod'
import type { DomainView } from '../../services/domains/domains.ts'
import { DOMAIN_NOT_FOUND } from '../../services/records/lookup.ts'
import type { Services } from '../../services/services.ts'
import type { Caller } from '../access/caller.ts'
import { authorize } from '../access/policy.ts'
import { numberText, text } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'
import { figuresCsv } from './csv.ts'
import { accountFiguresSchema, figuresSchema } from './schema.ts'

const params = z.object({ id: numberText('id') })
const dayField = (field: string) => text(field, 10)
const query = z.object({
  from: dayField('from')
    .optional()
    .describe('First day, such as 2026-11-01 (UTC). Default: 29 days before the last.'),
  to: dayField('to').optional().describe('Last day. Default: today.'),
})

const on = routesOf('Figures')
const WHAT =
  'Counted by the web server as it answers, and there within a minute. No address, no query and nothing else by which a person could be found is kept. An alias has the figures of its site. Days are kept for 13 months.'
const errors = { 404: 'No such domain.' }

/** What owners are shown of their sites' visitors. */
export const figuresRoutes = ({ accounts, domains, figures }: Services) => {
  const ownDomain = async (id: number, caller: Caller): Promise<DomainView> => {
    const domain = await domains.get(id)
    authorize(caller, 'account', domain.account_id, DOMAIN_NOT_FOUND)
    return domain
  }
  return [
    on.account.get('/api/domains/:id/figures', {
      summary: 'The visitors of a site',
      description: WHAT,
      params,
      query,
      data: figuresSchema,
      errors,
      handle: async ({ params: { id }, query: span, caller }) =>
        figures.of(await ownDomain(id, caller), span),
    }),
    on.account.get('/api/accounts/:id/figures', {
      summary: 'The visitors of all sites of an account',
      description: WHAT,
      params,
      query,
      data: accountFiguresSchema,
      errors: { 404: 'No such account.' },
      async handle({ params: { id }, query: span, caller }) {
        authorize(caller, 'account', id)
        await accounts.get(id)
        return figures.ofAccount(id, span)
      },
    }),
    on.account.get('/api/domains/:id/figures.csv', {
      summary: 'The visitors of a site, day by day, as a table',
      description: WHAT,
      params,
      query,
      raw: { mediaTypes: ['text/csv'], description: 'The table, outside the envelope.' },
      errors,
      async handle({ params: { id }, query: span, caller }) {
        const domain = await ownDomain(id, caller)
        return figuresCsv(domain.domain_name, await figures.days(domain, span))
      },
    }),
  ]
}
