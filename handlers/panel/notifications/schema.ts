import { z } from 'zod'
import { NOTIFICATION_KINDS, SEVERITIES } from '../../domain/notifications/notification-kinds.ts'
import { NOTIFICATION_LANGUAGES } from '../../domain/notifications/texts/texts.ts'
import { count, named, recordId, timestamp } from '../frame/common-schemas.ts'

/** Something that the caller is told. */
export const notificationSchema = named('Notification', {
  id: recordId(),
  kind: z.enum(NOTIFICATION_KINDS),
  message: z.string().describe('Key of the text, e.g. certificate.expired.'),
  severity: z.enum(SEVERITIES),
  title: z.string().describe('In the language asked for, as text and link are made of data.'),
  text: z.string(),
  data: z.record(z.string(), z.union([z.string(), z.number()])),
  link: z.string().describe("Path of the panel's screen that helps."),
  state: z
    .enum(['told', 'standing', 'resolved'])
    .describe('told: it happened; standing: a trouble that is not over; resolved: it is.'),
  created_at: timestamp(),
  read_at: timestamp().nullable(),
  resolved_at: timestamp().nullable(),
})

/** How much is unread. */
export const unreadSchema = named('UnreadNotifications', {
  unread: count(),
  latest: count().describe('The highest id; 0 without any.'),
})

/** How the caller is told. */
export const preferencesSchema = named('NotificationPreferences', {
  kinds: z.array(
    z.object({
      kind: z.enum(NOTIFICATION_KINDS),
      panel: z.boolean(),
      mail: z.boolean(),
      webhook: z.boolean().describe('Takes effect where there is a webhook.'),
      always_in_panel: z.boolean(),
    }),
  ),
  email: z
    .string()
    .nullable()
    .describe('Where mails go: the address of the account, or the one that an administrator set.'),
  language: z
    .enum(NOTIFICATION_LANGUAGES)
    .nullable()
    .describe('Of mails and webhooks. Null: that of the browser of the last login.'),
  mail_obstacle: z
    .enum(['no_address', 'no_relay', 'unavailable'])
    .nullable()
    .describe('Why mails do not go out; null: nothing is known that keeps them.'),
  webhook: z.boolean().describe('Whether there is one.'),
})

/** The caller's webhook; its secret is never shown again. */
export const webhookSchema = named('NotificationWebhook', {
  url: z.string(),
  created_at: timestamp(),
  tries: count().describe('Failures in a row.'),
})

/** One attempt to tell it. */
export const deliverySchema = named('NotificationDelivery', {
  id: recordId(),
  notification_id: z.int().nullable().describe('Null: a test.'),
  at: timestamp(),
  status: z.int().nullable().describe('HTTP status; null: there was no answer.'),
  error: z.string().nullable(),
  duration_ms: count(),
})
