import { isMessage } from '../../domain/notifications/notification-kinds.ts'
import { mailText, type MailedMessage } from '../../domain/notifications/mail-text.ts'
import { unixSecs } from '../../domain/text/timestamp.ts'
import { isAppError } from '../../errors.ts'
import type { OutgoingMail } from '../../ports/host/mail/outgoing-mail.ts'
import type { UserRef } from '../../ports/store/access-store.ts'
import type { NotificationRow } from '../../ports/store/notifications/notification-store.ts'
import type { ServiceDeps } from '../service-deps.ts'
import { findAddressee, type Addressee } from './people.ts'

/** Looked at in one turn. */
const MOST_ROWS = 1000
/** Mails of their own to one person within an hour; what comes then is summed up in one, and the next in the hour after. */
const SINGLE_MAILS = 5
const HOUR_SECS = 3600
const MOST_TRIES = 10
const FIRST_PAUSE_SECS = 60
const LONGEST_PAUSE_SECS = 6 * HOUR_SECS

/** Mails of notifications. */
export interface Mails {
  /** Hands over those that are due. Turns do not overlap. */
  turn(): Promise<void>
}

const messagesOf = (rows: readonly NotificationRow[]): MailedMessage[] =>
  rows.flatMap(({ message, data }) => (isMessage(message) ? [{ message, data }] : []))

export const createMails = (
  deps: Pick<ServiceDeps, 'store' | 'clock' | 'log'> & {
    mail: OutgoingMail
    panelUrl: string | null
  },
): Mails => {
  const { store, clock, log, mail, panelUrl } = deps
  let running: Promise<void> | null = null

  /** One mail about these; what fails is due again later, a few times. */
  const send = async (
    { username, language }: Addressee,
    to: string,
    rows: readonly NotificationRow[],
  ): Promise<boolean> => {
    const ids = rows.map(({ id }) => id)
    const messages = messagesOf(rows)
    try {
      if (messages.length > 0)
        await mail.submit({ to, ...mailText(messages, { username, language, panelUrl }) })
      await store.settleMails(ids, null)
      return true
    } catch (error) {
      const tries = Math.max(...rows.map(({ mail_tries }) => mail_tries)) + 1
      // What is wrong with the mail itself stays wrong.
      const given = tries >= MOST_TRIES || (isAppError(error) && error.status === 400)
      const pause = Math.min(LONGEST_PAUSE_SECS, FIRST_PAUSE_SECS * 2 ** (tries - 1))
      await store.settleMails(ids, given ? null : unixSecs(clock.nowMs()) + pause)
      log[given ? 'error' : 'warn'](given ? 'mail given up' : 'mail not taken yet', {
        user: username,
        error: error instanceof Error ? error.message : String(error),
      })
      return false
    }
  }

  const sendTo = async (person: UserRef, rows: readonly NotificationRow[]): Promise<void> => {
    const ids = rows.map(({ id }) => id)
    const addressee = await findAddressee({ store }, person)
    if (addressee === null || addressee.email === null) return store.settleMails(ids, null)
    const { email, kept } = addressee
    const nowSecs = unixSecs(clock.nowMs())
    const begun = kept?.mail_hour_secs ?? 0
    // A clock that was set back must not keep mails for long.
    const anew = nowSecs - begun >= HOUR_SECS || begun > nowSecs
    const hour = anew ? nowSecs : begun
    const sent = anew ? 0 : (kept?.mails_sent ?? 0)
    const note = (count: number) =>
      store.notePersonMails(person, { mail_hour_secs: hour, mails_sent: count })
    if (sent > SINGLE_MAILS) {
      // Due when the hour is over; no attempt was made.
      return store.postponeMails(ids, hour + HOUR_SECS)
    }
    if (sent + rows.length > SINGLE_MAILS) {
      if (await send(addressee, email, rows)) await note(SINGLE_MAILS + 1)
      return
    }
    let count = sent
    for (const row of rows) if (await send(addressee, email, [row])) await note(++count)
  }

  const turn = async (): Promise<void> => {
    const due = await store.dueMails(unixSecs(clock.nowMs()), MOST_ROWS)
    const people = Map.groupBy(due, ({ role, owner_id }) => `${role}:${owner_id}`)
    for (const rows of people.values()) {
      const [first] = rows
      if (first === undefined) continue
      await sendTo({ role: first.role, id: first.owner_id }, rows).catch((error: unknown) =>
        log.error('mails of somebody did not go out', { error: String(error) }),
      )
    }
  }
  return {
    turn: () => (running ??= turn().finally(() => (running = null))),
  }
}
