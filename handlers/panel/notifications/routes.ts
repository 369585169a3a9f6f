import { z } from 'zod'
import { NOTIFICATION_KINDS } from '../../domain/notifications/notification-kinds.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import type { Services } from '../../services/services.ts'
import { userKey, type Caller } from '../access/caller.ts'
import { assertNotForeign } from '../access/csrf.ts'
import type { PanelDeps } from '../deps.ts'
import { createEventStreams } from '../frame/event-stream.ts'
import { numberText, oneOf } from '../frame/fields.ts'
import { given } from '../frame/given.ts'
import { listFields, toListQuery, counted, TOTAL_COUNT } from '../frame/list-declaration.ts'
import { routesOf } from '../frame/routes-of.ts'
import { choicesChange, language, webhookUrl } from './fields.ts'
import {
  deliverySchema,
  notificationSchema,
  preferencesSchema,
  unreadSchema,
  webhookSchema,
} from './schema.ts'

const on = routesOf('Notifications')
const params = z.object({ id: numberText('id') })
const NO_WEBHOOK = 'There is no webhook.'
/** At most so long until a stream notices that its token is void. */
const HEARTBEAT_MS = 10_000
const LIST = listFields(['created_at', 'id', 'kind', 'severity'])
const FILTERS = z.object({
  kind: oneOf('kind', NOTIFICATION_KINDS).optional(),
  unread: oneOf('unread', ['true', 'false']).optional(),
  standing: oneOf('standing', ['true', 'false'])
    .optional()
    .describe('Whether it is a trouble that is not over.'),
  language,
})
const FOR_ITSELF =
  'Those of the kinds login and security stay unread where an API token, or an administrator who works as the account, asks for it.'
const raw = { mediaTypes: ['text/event-stream'], description: 'Events, outside the envelope.' }

/** Whether somebody else than the person itself looks. */
const isOther = ({ apiToken, actingAdmin }: Caller): boolean =>
  apiToken !== null || actingAdmin !== null

/** What the caller is told, and how. */
export const notificationRoutes = (
  { store }: Pick<PanelDeps, 'store'>,
  { notifications }: Services,
  streams = createEventStreams(),
) => {
  /** The machine's administrator is no user of the panel: he is shown what the first one is. */
  const personOf = async ({ user: { role, id } }: Caller): Promise<UserRef> => {
    if (id !== 0) return { role, id }
    const [first] = (await store.listAdmins({ page: 1, perPage: 1 })).rows
    return { role: 'admin', id: first?.id ?? 0 }
  }

  return [
    on.self.get('/api/notifications', {
      summary: "Lists the caller's notifications",
      description:
        'Newest first. The newest 500 are kept, for 180 days; troubles that stand go last. At the command line of the machine: those of the first administrator.',
      query: LIST.extend(FILTERS.shape),
      data: z.array(notificationSchema),
      headers: TOTAL_COUNT,
      async handle({ query, caller }) {
        const { language: words = 'en', kind, unread, standing, ...list } = query
        const filters = given({ kind, unread, standing })
        const asked = { ...toListQuery(list), filters }
        return counted(await notifications.list(await personOf(caller), words, asked))
      },
    }),
    on.self.get('/api/notifications/unread', {
      summary: 'How many notifications are unread',
      data: unreadSchema,
      handle: async ({ caller }) => notifications.unread(await personOf(caller)),
    }),
    on.self.get('/api/notifications/events', {
      summary: 'Changes of how many are unread',
      description:
        'Each event is named notifications; its data is as GET /api/notifications/unread answers it. The first comes at once. A comment comes at least every 10 seconds.',
      raw,
      errors: {
        403: 'The cookie came from a foreign page.',
        429: 'Too many streams are open: 8 of one user, 256 of all.',
      },
      before: ({ request, ownOrigin }) => assertNotForeign(request, ownOrigin),
      async handle({ caller, reauthenticate }) {
        const person = await personOf(caller)
        let last: string | null = null
        return streams.open(userKey(caller), async (signal) => {
          const { seen } = notifications.changes
          let state = await notifications.unread(person)
          if (JSON.stringify(state) === last) {
            await notifications.changes.next(seen, HEARTBEAT_MS, signal)
            state = await notifications.unread(person)
          }
          await reauthenticate()
          if (JSON.stringify(state) === last) return []
          last = JSON.stringify(state)
          return [{ id: state.latest, event: 'notifications', data: state }]
        })
      },
    }),
    on.self.get('/api/notifications/preferences', {
      summary: 'How the caller is told',
      data: preferencesSchema,
      handle: async ({ caller }) => notifications.choices.get(await personOf(caller)),
    }),
    on.self.patch('/api/notifications/preferences', {
      ownSession: true,
      summary: 'Changes how the caller is told',
      description:
        'Logins and security are always told in the panel. Mails of an account go to its own address, which is changed with the account.',
      body: choicesChange,
      data: preferencesSchema,
      errors: { 409: 'An account has no other address than its own.' },
      handle: async ({ caller, body }) =>
        notifications.choices.change(await personOf(caller), body),
    }),
    on.self.get('/api/notifications/webhook', {
      summary: "The caller's webhook",
      data: webhookSchema.nullable(),
      handle: async ({ caller }) => notifications.webhooks.get(await personOf(caller)),
    }),
    on.self.put('/api/notifications/webhook', {
      ownSession: true,
      summary: "Sets the caller's webhook",
      description:
        'It is told what comes from now on, each as a POST that is signed with a new secret, shown this once. Addresses of this machine and of private networks are refused when it is told, also where a name leads there.',
      body: z.object({ url: webhookUrl }),
      data: webhookSchema.omit({ tries: true }).extend({ secret: z.string() }),
      handle: async ({ caller, body }) =>
        notifications.webhooks.set(await personOf(caller), body.url),
    }),
    on.self.delete('/api/notifications/webhook', {
      ownSession: true,
      summary: "Takes the caller's webhook away",
      data: z.object({ deleted: z.literal(true) }),
      async handle({ caller }) {
        await notifications.webhooks.remove(await personOf(caller))
        return { deleted: true as const }
      },
    }),
    on.self.post('/api/notifications/webhook/test', {
      ownSession: true,
      summary: "Sends a test to the caller's webhook",
      description: 'Answers what came of it, whatever that is.',
      data: deliverySchema,
      errors: {
        404: NO_WEBHOOK,
        429: 'One was sent less than five seconds ago.',
        503: 'This panel cannot send to addresses.',
      },
      handle: async ({ caller }) => notifications.webhooks.test(await personOf(caller)),
    }),
    on.self.get('/api/notifications/webhook/deliveries', {
      summary: "What the caller's webhook was sent",
      description: 'The last 50 attempts, newest first.',
      data: z.array(deliverySchema),
      handle: async ({ caller }) => notifications.webhooks.deliveries(await personOf(caller)),
    }),
    on.self.post('/api/notifications/read', {
      summary: 'Marks all notifications as read',
      description: FOR_ITSELF,
      data: unreadSchema,
      async handle({ caller }) {
        await notifications.read(await personOf(caller), null, isOther(caller))
        return notifications.unread(await personOf(caller))
      },
    }),
    on.self.post('/api/notifications/:id/read', {
      summary: 'Marks a notification as read',
      description: FOR_ITSELF,
      params,
      data: unreadSchema,
      errors: { 404: 'The caller has no such notification.' },
      async handle({ params: { id }, caller }) {
        await notifications.read(await personOf(caller), id, isOther(caller))
        return notifications.unread(await personOf(caller))
      },
    }),
  ]
}
