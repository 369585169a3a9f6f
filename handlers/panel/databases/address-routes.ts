import { z } from 'zod'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { id, numberText, text } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'
import { camelCased } from '../frame/spelling.ts'
import { params } from './params.ts'
import { databaseAddressSchema } from './schema.ts'

const createSchema = z.object({
  account_id: id('account_id'),
  address: text('address', 64).describe(
    'An address, or a block: of IPv4 /16 to /32, of IPv6 /48 or /64. Never all of the internet.',
  ),
  note: z
    .string('note must be text.')
    .max(100, 'note may have 100 characters.')
    .regex(/^\P{C}*$/u, 'note must be one line of plain text.')
    .default('')
    .describe('What it is, e.g. office.'),
})

const on = routesOf('Databases', { changes: 'develop' })
const NO_ENGINE = 'A database server does not run; nothing was changed.'

/** Addresses from which databases may be reached over TLS. */
export const databaseAddressRoutes = ({ databaseAddresses }: Services) => [
  on.account.list('/api/database-addresses/:account_id', {
    summary: 'Lists the addresses from which the databases of an account may be reached',
    description: 'In the order in which they were allowed, unless sorted.',
    sortable: ['address', 'note', 'created_at'],
    params,
    row: databaseAddressSchema,
    errors: { 404: 'No such account.' },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    rows: (list, { params }) => databaseAddresses.list(params.account_id, list),
  }),
  on.account.post('/api/database-addresses', {
    waysIn: true,
    summary: 'Lets an address reach the databases of an account',
    description:
      'All users of the account’s databases may log in from there, over TLS and with their passwords and rights; in MariaDB they make no views, routines, triggers and events from elsewhere. It counts as long as the server is reached from elsewhere at all. How many an account may have is a limit of its plan, which an administrator may exceed.',
    body: createSchema,
    data: databaseAddressSchema,
    errors: {
      403: 'The account has as many addresses as its plan allows.',
      404: 'No such account.',
      409: 'The address is allowed already, or the account is not active.',
      503: NO_ENGINE,
    },
    async handle({ body, caller }) {
      authorize(caller, 'account', body.account_id)
      return databaseAddresses.create({
        ...camelCased(body),
        byAdministrator: caller.role === 'admin',
      })
    },
  }),
  on.account.delete('/api/database-addresses/:account_id/:id', {
    summary: 'Lets an address reach the databases no more',
    description: 'Connections from there end.',
    params: params.extend({ id: numberText('id') }),
    data: z.object({ id: z.number(), deleted: z.literal(true) }),
    errors: { 404: 'No such account or address.', 503: NO_ENGINE },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    async handle({ params: { account_id, id } }) {
      await databaseAddresses.remove(account_id, id)
      return { id, deleted: true as const }
    },
  }),
]
