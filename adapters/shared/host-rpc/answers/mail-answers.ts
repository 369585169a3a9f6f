import { z } from 'zod'
import { change, done, line, long, many, read, short } from './answer-shapes.ts'

const submittedMailAnswer = z.object({ id: short, state: z.enum(['queued', 'kept']) })

const mailStatusAnswer = z.object({
  relay: line.nullable(),
  from: line,
  trouble: z.object({ since: short, answer: long }).nullable(),
  counts: z.object({
    failed: z.number(),
    queued: z.number(),
    kept: z.number(),
    sent: z.number(),
    refused: z.number(),
  }),
  oldestWaiting: line.nullable(),
  storedBytes: z.number(),
  limits: z.object({
    messageBytes: z.number(),
    recipients: z.number(),
    perHour: z.number(),
    retryHours: z.number(),
    keepDays: z.number(),
    storedBytes: z.number(),
    logDays: z.number(),
  }),
})

const mailAllowanceAnswer = z.object({
  lastHour: z.number(),
  lastDay: z.number(),
  perHour: z.number(),
  perDay: z.number(),
})

const mailStateAnswer = z.enum(['failed', 'queued', 'kept', 'sent', 'refused'])

const mailRecipientAnswer = z.object({
  address: line,
  state: z.enum(['waiting', 'failed', 'sent']),
  answer: long.nullable(),
})

const mailRecordAnswer = z.object({
  id: short,
  username: short.nullable(),
  state: mailStateAnswer,
  sender: line,
  from: line,
  replacedFrom: line.nullable(),
  recipients: many(mailRecipientAnswer),
  subject: line,
  sizeBytes: z.number(),
  attempts: z.number(),
  createdAt: short,
  nextAttemptAt: line.nullable(),
  endedAt: short.nullable(),
  answer: long.nullable(),
  hasSource: z.boolean(),
})

const mailNewsAnswer = z.object({
  seq: z.number(),
  at: short,
  kind: z.enum(['failed', 'limited']),
  username: short.nullable(),
  message: long.nullable(),
  told: short,
})

/** Answers about mail, by port and method. */
export const MAIL_ANSWERS = {
  outgoingMail: {
    submit: change(submittedMailAnswer),
  },
  mailQueue: {
    status: read(mailStatusAnswer),
    allowance: read(mailAllowanceAnswer),
    setAccount: change(done),
    list: read(z.object({ rows: many(mailRecordAnswer), total: z.number() })),
    message: read(mailRecordAnswer),
    source: read(z.object({ text: long, truncated: z.boolean() })),
    retry: change(mailRecordAnswer),
    remove: change(done),
    takeNews: change(many(mailNewsAnswer)),
  },
}
