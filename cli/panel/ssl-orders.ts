import type { z } from 'zod'
import type { waitingOrderSchema } from '#handlers/panel/certificates/schema.ts'
import type { ResourceSpec } from './frame/command-types.ts'
import { known } from './frame/known.ts'
import { listCommand } from './frame/list-command.ts'
import { api } from './frame/panel-client.ts'
import { showIssued } from './ssl.ts'

type Order = z.output<typeof waitingOrderSchema>

const DOMAIN = ['<domain>', "name of a site, or the panel's name"] as const

const AFTER: Record<Order['state'], string> = {
  waiting: 'It goes on by itself once all are shown, or at once by: berth ssl-orders finish',
  ready: 'All are shown. It goes on within minutes, or at once by: berth ssl-orders finish',
  failed: 'Nothing comes of it any more. Begin anew: berth ssl-orders begin',
  expired: 'It has expired. Begin anew: berth ssl-orders begin',
}

const showOrder = (data: unknown): void => {
  const order = known<Order>(data, 'domain', 'records', 'state')
  console.log(
    `Set these records where the zone of ${order.domain} lies, until ${order.expires_at} UTC; several of one name stand beside each other:`,
  )
  for (const { name, value, shown } of order.records)
    console.log(`${name}. TXT "${value}"${shown === true ? '   is shown' : ''}`)
  if (order.error !== null) console.log(order.error)
  console.log(AFTER[order.state])
  for (const { name, reason } of order.left_out) console.error(`Without ${name}: ${reason}`)
}

/** `berth ssl-orders …`. */
export const sslOrders: ResourceSpec = {
  name: 'ssl-orders',
  summary: 'certificates that are proved by records set by hand, where the DNS is elsewhere',
  commands: {
    list: listCommand<Order>({
      summary: 'list the orders that wait for records',
      examples: ['berth ssl-orders list'],
      path: '/api/ssl/orders',
      sortable: ['domain', 'created_at', 'expires_at'],
      columns: [
        ['DOMAIN', 'domain'],
        ['STATE', 'state'],
        ['UNTIL', 'expires_at'],
        ['ERROR', 'error'],
      ],
      empty: 'No order waits. Begin one: berth ssl-orders begin',
    }),
    begin: {
      summary: 'order a certificate and show the records to set; one that waits is shown as it is',
      args: [DOMAIN],
      examples: ['berth ssl-orders begin shop.example'],
      order: ({ args: [domain] }) => ({
        to: api`POST /api/ssl/orders`,
        body: { domain },
        done: showOrder,
      }),
    },
    show: {
      summary: 'show the records of an order, and which of them the DNS shows',
      args: [DOMAIN],
      examples: ['berth ssl-orders show shop.example'],
      order: ({ args: [domain] }) => ({ to: api`GET /api/ssl/orders/${domain}`, done: showOrder }),
    },
    finish: {
      summary: 'go on with an order whose records are shown',
      args: [DOMAIN],
      job: true,
      examples: ['berth ssl-orders finish shop.example'],
      order: ({ args: [domain] }) => ({
        to: api`POST /api/ssl/orders/${domain}/finish`,
        done: showIssued,
      }),
    },
    remove: {
      summary: 'give an order up; the site keeps the certificate that it has',
      args: [DOMAIN],
      examples: ['berth ssl-orders remove shop.example'],
      order: ({ args: [domain = ''] }) => ({
        to: api`DELETE /api/ssl/orders/${domain}`,
        done: `The order for ${domain} is given up. Its records can go.`,
      }),
    },
  },
}
