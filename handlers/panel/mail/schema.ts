import { z } from 'zod'
import type { MailRecord, MailStatus } from '../../ports/host/mail/mail-queue.ts'
import type { AccountMail } from '../../services/mail/mail.ts'
import { count, named, timestamp } from '../frame/common-schemas.ts'

export const MAIL_STATES = ['queued', 'kept', 'sent', 'failed', 'refused'] as const

/** A message, without its text. */
export const mailSchema = named('Mail', {
  id: z.string(),
  username: z.string().nullable().describe('Account that sent it; null: the panel itself.'),
  state: z
    .enum(MAIL_STATES)
    .describe(
      'queued waits for its turn or its next try, kept for a relay; refused was never taken.',
    ),
  from: z.string().describe('Address in From, as it goes out.'),
  replaced_from: z
    .string()
    .nullable()
    .describe("What stood there, where it was none of the account's own; null: it was."),
  sender: z.string().describe('Sender of the envelope.'),
  recipients: z.array(
    z.object({
      address: z.string(),
      state: z.enum(['waiting', 'sent', 'failed']),
      answer: z.string().nullable().describe('What the relay said of it last.'),
    }),
  ),
  subject: z.string(),
  size_bytes: count(),
  attempts: count().describe('How often it was tried.'),
  created_at: timestamp(),
  next_attempt_at: timestamp().nullable().describe('Null: it is not tried.'),
  ended_at: timestamp().nullable(),
  answer: z
    .string()
    .nullable()
    .describe('What the relay said last, or why the message was refused.'),
  has_source: z.boolean().describe('Whether its text is still here.'),
})

const limitsShape = {
  max_message_bytes: count(),
  max_recipients: count(),
  retry_hours: count(),
  keep_days: count(),
  log_days: count(),
}

/** How the queue stands. */
export const mailStatusSchema = named('MailStatus', {
  relay: z.string().nullable().describe('Host and port; null: there is none, messages are kept.'),
  from: z.string().describe("Sender of the panel's own messages."),
  trouble: z
    .object({ since: timestamp(), answer: z.string() })
    .nullable()
    .describe('What is wrong with the relay; null: nothing that is known.'),
  counts: z.object({
    queued: count(),
    kept: count(),
    sent: count(),
    failed: count(),
    refused: count(),
  }),
  oldest_waiting: timestamp().nullable(),
  stored_bytes: count(),
  max_stored_bytes: count(),
  per_hour: count().describe('Mails of the whole server in an hour, by recipients.'),
  ...limitsShape,
})

/** How an account sends. */
export const accountMailSchema = named('AccountMail', {
  username: z.string(),
  relayed: z.boolean().describe('Whether messages leave this server; else they are kept.'),
  sent_last_hour: count().describe('Counted by recipients, also those of messages removed since.'),
  sent_last_day: count(),
  per_hour: count(),
  per_day: count(),
  ...limitsShape,
})

const limitsView = (limits: MailStatus['limits']) => ({
  max_message_bytes: limits.messageBytes,
  max_recipients: limits.recipients,
  retry_hours: limits.retryHours,
  keep_days: limits.keepDays,
  log_days: limits.logDays,
})

/** A message, as the API shows it. */
export const mailView = (mail: MailRecord): z.infer<typeof mailSchema> => ({
  id: mail.id,
  username: mail.username,
  state: mail.state,
  from: mail.from,
  replaced_from: mail.replacedFrom,
  sender: mail.sender,
  recipients: mail.recipients,
  subject: mail.subject,
  size_bytes: mail.sizeBytes,
  attempts: mail.attempts,
  created_at: mail.createdAt,
  next_attempt_at: mail.nextAttemptAt,
  ended_at: mail.endedAt,
  answer: mail.answer,
  has_source: mail.hasSource,
})

/** The queue, as the API shows it. */
export const mailStatusView = (status: MailStatus): z.infer<typeof mailStatusSchema> => ({
  relay: status.relay,
  from: status.from,
  trouble: status.trouble,
  counts: status.counts,
  oldest_waiting: status.oldestWaiting,
  stored_bytes: status.storedBytes,
  max_stored_bytes: status.limits.storedBytes,
  per_hour: status.limits.perHour,
  ...limitsView(status.limits),
})

/** How an account sends, as the API shows it. */
export const accountMailView = (mail: AccountMail): z.infer<typeof accountMailSchema> => ({
  username: mail.username,
  relayed: mail.relayed,
  sent_last_hour: mail.lastHour,
  sent_last_day: mail.lastDay,
  per_hour: mail.perHour,
  per_day: mail.perDay,
  ...limitsView(mail.limits),
})
