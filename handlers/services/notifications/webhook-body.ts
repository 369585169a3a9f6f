import { linkOf } from '../../domain/notifications/link-of.ts'
import { isMessage } from '../../domain/notifications/notification-kinds.ts'
import { messageText, type NotificationLanguage } from '../../domain/notifications/texts/texts.ts'
import type { NotificationRow } from '../../ports/store/notifications/notification-store.ts'
import { toHex } from '../../domain/text/hex.ts'

/** What a webhook of a person is sent. */
export interface WebhookMessage {
  /** The same each time it is told: what comes twice is recognised by it. */
  id: string
  /** JSON. */
  body: string
}

/** What a row is in words, and where it is seen to. */
export const inWords = (
  { message, data }: Pick<NotificationRow, 'message' | 'data'>,
  language: NotificationLanguage,
): { title: string; text: string; link: string } => {
  // Of another version of Berth, before it was set back: the key alone is known.
  if (!isMessage(message)) return { title: message, text: '', link: '/' }
  return { ...messageText(language, message, data), link: linkOf(message, data) }
}

/** Of a notification, or of the end of the trouble that it told. */
export const webhookMessage = (
  row: NotificationRow,
  language: NotificationLanguage,
): WebhookMessage => {
  const { id, kind, message, severity, rank, trouble, data, created_at, resolved_at } = row
  const state = resolved_at !== null ? 'resolved' : trouble === null ? 'told' : 'standing'
  const name = `notification-${id}.${state === 'resolved' ? state : rank}`
  return {
    id: name,
    body: JSON.stringify({
      ...{ id: name, kind, message, severity, state, ...inWords(row, language), data },
      ...{ at: created_at, resolved_at },
    }),
  }
}

const encoder = new TextEncoder()

/** `t=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<body>">`, as the webhooks of the configuration have it. */
export const signature = async (secret: string, atSecs: number, body: string): Promise<string> => {
  const key = await crypto.subtle.importKey(
    'raw',
    encoder.encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  const signed = await crypto.subtle.sign('HMAC', key, encoder.encode(`${atSecs}.${body}`))
  return `t=${atSecs},v1=${toHex(new Uint8Array(signed))}`
}
