import { linkOf } from './link-of.ts'
import type { MessageData, MessageKey } from './notification-kinds.ts'
import { messageText, notificationTexts, type NotificationLanguage } from './texts/texts.ts'

/** What is told in a mail. */
export interface MailedMessage {
  message: MessageKey
  data: MessageData
}

/** A mail in plain text; the subject is one line. */
export interface MailText {
  subject: string
  text: string
}

/** Named in one mail; the rest is counted. */
const MOST_NAMED = 50
/** A longer subject no queue takes, and names of domains alone may be longer. */
const MAX_SUBJECT = 250

const shortened = (subject: string): string =>
  subject.length <= MAX_SUBJECT ? subject : `${subject.slice(0, MAX_SUBJECT - 1).toWellFormed()}…`

/**
 * The mail about one message, or about several together. `panelUrl`: the panel's address as
 * people reach it, without slash at its end; null: it is not known, and there are no links.
 */
export const mailText = (
  messages: readonly MailedMessage[],
  to: { username: string; language: NotificationLanguage; panelUrl: string | null },
): MailText => {
  const { mail } = notificationTexts(to.language)
  const parts = messages.slice(0, MOST_NAMED).map(({ message, data }) => {
    const { title, text } = messageText(to.language, message, data)
    const see = to.panelUrl === null ? [] : [mail.see(`${to.panelUrl}${linkOf(message, data)}`)]
    return { title, lines: [title, text, ...see].join('\n') }
  })
  const [first] = parts
  const one = messages.length === 1 && first !== undefined
  const rest = messages.length - parts.length
  return {
    subject: shortened(mail.subject(one ? first.title : mail.many(messages.length))),
    text: [
      mail.hello(to.username),
      ...(one ? [] : [mail.manyLead(messages.length)]),
      ...parts.map(({ lines }) => lines),
      ...(rest > 0 ? [mail.more(rest)] : []),
      mail.why,
    ]
      .join('\n\n')
      .concat('\n'),
  }
}
