import { z } from 'zod'
import { isMailAddress } from '../../domain/mail/mail-address.ts'
import type { Services } from '../../services/services.ts'
import { authorize } from '../access/policy.ts'
import { hostErrors, hostQuery } from '../hosts/host-query.ts'
import { numberText, oneOf, text } from '../frame/fields.ts'
import { routesOf } from '../frame/routes-of.ts'
import {
  accountMailSchema,
  accountMailView,
  MAIL_STATES,
  mailSchema,
  mailStatusSchema,
  mailStatusView,
  mailView,
} from './schema.ts'

const on = routesOf('Mail', { changes: 'develop' })
const params = z.object({ account_id: numberText('account_id') })
const messageParams = z.object({
  message: z.string().regex(/^[A-Za-z0-9]{1,100}$/, 'message must be the id of a message.'),
})
const sortable = ['created_at', 'subject', 'state', 'size_bytes'] as const
const filters = { state: oneOf('state', MAIL_STATES).optional() }
const NO_MESSAGE = 'No such message.'
const NO_QUEUE = 'The mail queue does not answer.'
const rows = { sortable, filters, row: mailSchema }
const NEWEST = 'The newest first, unless sort says otherwise; at most 1000 without paging.'

/** Outgoing mail: what was sent, what became of it, and what may be sent. */
export const mailRoutes = ({ mail }: Services) => [
  on.system.get('/api/mail/status', {
    summary: 'Shows how outgoing mail stands',
    query: z.object(hostQuery),
    data: mailStatusSchema,
    errors: { ...hostErrors, 503: NO_QUEUE },
    handle: async ({ query }) => mailStatusView(await mail.status(query.host)),
  }),
  on.system.post('/api/mail/test', {
    summary: 'Sends a test message',
    description:
      "It goes the way of the panel's own messages. The answer says that it is in the queue; the message says what became of it.",
    body: z.object({
      to: text('to', 254).refine(isMailAddress, 'to must be an e-mail address.'),
    }),
    data: mailSchema,
    errors: { 429: 'The server sent as much as it may in an hour.', 503: NO_QUEUE },
    handle: async ({ body }) => {
      const { id } = await mail.test(body.to)
      return mailView(await mail.message({ accountId: null }, id))
    },
  }),
  on.account.get('/api/mail/messages/:message', {
    level: 'develop',
    summary: 'Shows what became of a message',
    params: messageParams,
    data: mailSchema,
    errors: { 404: NO_MESSAGE, 503: NO_QUEUE },
    handle: async ({ params: { message }, caller }) =>
      mailView(await mail.message(caller, message)),
  }),
  on.account.get('/api/mail/messages/:message/source', {
    level: 'develop',
    summary: 'Shows a message as it goes out',
    description:
      'Head and text, at most 256 kB. For the account that sent it alone; administrators may read those of the panel itself.',
    ownSession: true,
    params: messageParams,
    data: z.object({
      text: z.string().describe('Bytes that are no UTF-8 are replaced.'),
      truncated: z.boolean(),
    }),
    errors: { 404: `${NO_MESSAGE} Or its text is not kept any more.`, 503: NO_QUEUE },
    handle: ({ params: { message }, caller }) => mail.source(caller, message),
  }),
  on.account.post('/api/mail/messages/:message/retry', {
    summary: 'Tries a message again now',
    description: 'One that waits, or that was given up and whose text is still here.',
    params: messageParams,
    data: mailSchema,
    errors: {
      404: NO_MESSAGE,
      409: 'It was sent, or its text is not kept any more.',
      503: NO_QUEUE,
    },
    handle: async ({ params: { message }, caller }) => mailView(await mail.retry(caller, message)),
  }),
  on.account.delete('/api/mail/messages/:message', {
    summary: 'Removes a message',
    description: 'From the list, and where it waits from the queue. It still counts as sent.',
    params: messageParams,
    data: z.object({ id: z.string(), deleted: z.literal(true) }),
    errors: { 404: NO_MESSAGE, 409: 'It is being sent at present.', 503: NO_QUEUE },
    async handle({ params: { message }, caller }) {
      await mail.remove(caller, message)
      return { id: message, deleted: true as const }
    },
  }),
  on.system.list('/api/mail', {
    summary: "Lists the messages of all accounts and the panel's own",
    description: NEWEST,
    ...rows,
    filters: { ...filters, ...hostQuery },
    errors: hostErrors,
    rows: async (list) => {
      const page = await mail.list(null, list, list.filters?.['host'])
      return { ...page, rows: page.rows.map(mailView) }
    },
  }),
  on.account.list('/api/mail/:account_id', {
    summary: 'Lists the messages of an account',
    description: NEWEST,
    ...rows,
    params,
    errors: { 404: 'No such account.', 503: NO_QUEUE },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    rows: async (list, { params }) => {
      const page = await mail.list(params.account_id, list)
      return { ...page, rows: page.rows.map(mailView) }
    },
  }),
  on.account.get('/api/mail/:account_id/settings', {
    summary: 'Shows how an account sends, how much it sent and may send',
    params,
    data: accountMailSchema,
    errors: { 404: 'No such account.', 503: NO_QUEUE },
    before: ({ params, caller }) => authorize(caller, 'account', params.account_id),
    handle: async ({ params }) => accountMailView(await mail.settings(params.account_id)),
  }),
]
