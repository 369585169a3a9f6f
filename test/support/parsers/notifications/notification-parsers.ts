import { loginPlace } from '#handlers/domain/notifications/login-place.ts'
import { messageValue } from '#handlers/domain/notifications/notification-kinds.ts'
import { languageOf } from '#handlers/domain/notifications/texts/texts.ts'
import { loginLanguage } from '#handlers/services/notifications/people.ts'
import { opened, parsersOf } from '../parser-list.ts'

const header = (name: string, text: string): Headers =>
  // Control characters do not get into a header.
  new Headers({ [name]: text.replaceAll(/[^\x20-\x7e]/g, ' ').trim() })

/** What browsers say at a login, and what is named in notifications. */
export const notificationParsers = parsersOf('visitor', 64 * 1024, {
  'handlers/domain/notifications/notification-kinds.ts messageValue': messageValue,
  'handlers/domain/notifications/login-place.ts loginPlace': opened(['Mozilla/5.0 ('], (text) =>
    loginPlace(text, text),
  ),
  'handlers/domain/notifications/texts/texts.ts languageOf': opened(
    ['fr, ', 'fr;q=0.1,'],
    languageOf,
  ),
  'handlers/services/notifications/people.ts loginLanguage': opened(
    ['a=b; ', 'berth_language='],
    (text) => [
      loginLanguage(header('cookie', text)),
      loginLanguage(header('accept-language', text)),
    ],
  ),
})
