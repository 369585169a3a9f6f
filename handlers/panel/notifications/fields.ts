import { z } from 'zod'
import { NOTIFICATION_KINDS } from '../../domain/notifications/notification-kinds.ts'
import { NOTIFICATION_LANGUAGES } from '../../domain/notifications/texts/texts.ts'
import { changes, flag, oneOf, text } from '../frame/fields.ts'

const ways = z.strictObject({
  panel: flag('panel').optional(),
  mail: flag('mail').optional(),
  webhook: flag('webhook').optional(),
})

/** What may be chosen. */
export const choicesChange = changes({
  kinds: z
    .partialRecord(z.enum(NOTIFICATION_KINDS), ways, {
      error: `kinds must be an object of ${NOTIFICATION_KINDS.join(', ')}.`,
    })
    .optional()
    .describe('By kind: panel, mail and webhook, each true or false; what is absent stays.'),
  email: text('email', 254)
    .pipe(z.email('email must be an address such as name@example.com.'))
    .meta({ format: 'email' })
    .nullable()
    .optional()
    .describe('Of an administrator; null: no mails.'),
  language: oneOf('language', NOTIFICATION_LANGUAGES)
    .nullable()
    .optional()
    .describe('Null: that of the browser of the last login.'),
})

const isAddress = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const { protocol, username, password, hash } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === '' && hash === ''
}

/** Where a webhook lies; whether the address may be asked is judged when it is. */
export const webhookUrl = text('url', 2000).refine(
  isAddress,
  'url must be an address such as https://example.com/path, without a login in it.',
)

/** The language of texts in an answer. */
export const language = oneOf('language', NOTIFICATION_LANGUAGES)
  .optional()
  .describe('Of title and text. Default: en.')
