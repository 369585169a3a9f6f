import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { text } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'
import { issuedCertificateSchema, waitingOrderSchema } from './schema.ts'
import { siteRights } from './site-rights.ts'

const params = z.object({ domain: z.string() })
const on = routesOf('SSL', { changes: 'develop' })
const NO_ORDER = 'No such domain, or no order for it waits.'
const UNAVAILABLE = 'The certificate authority or the host does not answer.'

/** Orders that wait until their owner has set records. */
export const waitingOrderRoutes = (services: Services) => {
  const { certificates, waitingOrders } = services
  const { authorizeName, countOrder, aboutName } = siteRights(services)
  return [
    on.account.list('/api/ssl/orders', {
      summary: 'Lists the orders that wait for records',
      description:
        'A user of role account sees those of its own account. Which records are shown is asked for one order at a time.',
      sortable: ['domain', 'created_at', 'expires_at'],
      row: waitingOrderSchema,
      errors: { 503: UNAVAILABLE },
      rows: (list) => waitingOrders.list(list),
    }),
    on.account.post('/api/ssl/orders', {
      summary: 'Orders a certificate that is proved by hand',
      description:
        'For a zone that lies elsewhere and that nothing here may change: answers the text records that prove the names of the site, for its owner to set. Where a challenge is a CNAME record, the record is where that leads. Once the servers of the zone show all of them the order goes on by itself; it waits as long as the authority keeps it, also through restarts. One that waits already, for the same names, is answered as it is.',
      body: z.object({ domain: text('domain').describe('Name of a site, or one of its aliases.') }),
      data: waitingOrderSchema,
      errors: {
        404: 'No such domain.',
        409: 'The account is not active.',
        429: 'A user of role account has ordered 20 certificates within 24 hours; Retry-After says for how many seconds.',
        503: UNAVAILABLE,
      },
      async handle({ body: { domain }, caller }) {
        await authorizeName(caller, domain)
        await countOrder(caller, domain)
        return waitingOrders.begin(domain)
      },
    }),
    on.account.get('/api/ssl/orders/:domain', {
      summary: 'An order that waits',
      description: 'Asks the servers of the zone which of its records they show.',
      params,
      data: waitingOrderSchema,
      errors: { 404: NO_ORDER, 409: 'The account is being made or deleted.', 503: UNAVAILABLE },
      before: ({ params, caller }) => authorizeName(caller, params.domain),
      handle: ({ params }) => waitingOrders.get(params.domain),
    }),
    on.account.post('/api/ssl/orders/:domain/finish', {
      summary: 'Goes on with an order',
      description:
        'Which it also does by itself, within minutes after the records are shown. Answers when the certificate is served.',
      params,
      data: issuedCertificateSchema,
      errors: {
        404: NO_ORDER,
        409: 'Not all of its records are shown yet, nothing comes of it any more, or the account is not active.',
        503: UNAVAILABLE,
      },
      before: ({ params, caller }) => authorizeName(caller, params.domain),
      job: {
        kind: 'certificate.finish',
        about: ({ params, caller }) => aboutName(caller, params.domain),
        recover: async ({ subject }) => ({ ...(await certificates.get(subject)), left_out: [] }),
      },
      handle: ({ params, report }) => waitingOrders.finish(params.domain, { report }),
    }),
    on.account.delete('/api/ssl/orders/:domain', {
      summary: 'Gives an order up',
      description: 'The site keeps the certificate that it has.',
      params,
      data: z.object({ domain: z.string(), deleted: z.literal(true) }),
      errors: { 404: NO_ORDER, 409: 'The account is being made or deleted.', 503: UNAVAILABLE },
      before: ({ params, caller }) => authorizeName(caller, params.domain),
      async handle({ params: { domain } }) {
        await waitingOrders.drop(domain)
        return { domain, deleted: true as const }
      },
    }),
  ]
}
