import type { MessageData, MessageKey } from '../notification-kinds.ts'
import type { NotificationTexts } from './en.ts'
import { de } from './de.ts'
import { en } from './en.ts'

/** Languages in which people are told. */
export const NOTIFICATION_LANGUAGES = ['en', 'de'] as const
/** One of `NOTIFICATION_LANGUAGES`. */
export type NotificationLanguage = (typeof NOTIFICATION_LANGUAGES)[number]

const TEXTS: Readonly<Record<NotificationLanguage, NotificationTexts>> = { en, de }

/** What is said in a language. */
export const notificationTexts = (language: NotificationLanguage): NotificationTexts =>
  TEXTS[language]

/** What a message says; of another machine than the panel's own it begins with that one's name. */
export const messageText = (
  language: NotificationLanguage,
  message: MessageKey,
  data: MessageData,
): { title: string; text: string } => {
  const { title, text } = TEXTS[language].messages[message](data)
  const host = data['host']
  return { title: host === undefined ? title : `${host}: ${title}`, text }
}

/** The first of the languages that an `Accept-Language` names; null: none of them. Order counts, weights do not. */
export const languageOf = (acceptLanguage: string): NotificationLanguage | null => {
  for (const part of acceptLanguage.slice(0, 256).toLowerCase().split(',')) {
    const tag = part.trim().slice(0, 2)
    const found = NOTIFICATION_LANGUAGES.find((language) => language === tag)
    if (found !== undefined) return found
  }
  return null
}
