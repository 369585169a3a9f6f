import { z } from 'zod'
import type { MailRecord } from '#handlers/ports/host/mail/mail-queue.ts'

const time = z.string().max(19)
const text = (most: number) => z.string().max(most)
const count = z.number().int().nonnegative()
const username = text(16).nullable()

const record: z.ZodType<MailRecord> = z.object({
  id: text(100),
  username,
  state: z.enum(['queued', 'kept', 'sent', 'failed', 'refused']),
  sender: text(1000),
  from: text(1000),
  replacedFrom: text(1000).nullable(),
  recipients: z
    .array(
      z.object({
        address: text(1000),
        state: z.enum(['waiting', 'sent', 'failed']),
        answer: text(2000).nullable(),
      }),
    )
    .max(2000),
  subject: text(1000),
  sizeBytes: count,
  attempts: count,
  createdAt: time,
  nextAttemptAt: time.nullable(),
  endedAt: time.nullable(),
  answer: text(2000).nullable(),
  hasSource: z.boolean(),
})

/** Shapes of what the mail process answers. */
export const MAIL_ANSWERS = {
  submit: z.object({ id: text(100), state: z.enum(['queued', 'kept']) }),
  status: z.object({
    relay: text(300).nullable(),
    from: text(300),
    trouble: z.object({ since: time, answer: text(2000) }).nullable(),
    counts: z.object({
      queued: count,
      kept: count,
      sent: count,
      failed: count,
      refused: count,
    }),
    oldestWaiting: time.nullable(),
    storedBytes: count,
    limits: z.object({
      messageBytes: count,
      recipients: count,
      perHour: count,
      retryHours: count,
      keepDays: count,
      storedBytes: count,
      logDays: count,
    }),
  }),
  allowance: z.object({ lastHour: count, lastDay: count, perHour: count, perDay: count }),
  setAccount: z.null(),
  list: z.object({ rows: z.array(record).max(1000), total: count }),
  message: record,
  source: z.object({ text: text(300_000), truncated: z.boolean() }),
  retry: record,
  remove: z.null(),
  takeNews: z
    .array(
      z.object({
        seq: count,
        at: time,
        kind: z.enum(['failed', 'limited']),
        username,
        message: text(100).nullable(),
        told: text(2000),
      }),
    )
    .max(100),
} as const
