import { z } from 'zod'
import { line, long, many, read, short, SLOW_SECS } from './answer-shapes.ts'

const logRecordAnswer = z.object({ id: short, text: long, cut: z.boolean() })

const logPageAnswer = z.object({
  records: many(logRecordAnswer),
  next: line.nullable(),
  truncated: z.boolean(),
  end: line,
})

const logContinuationAnswer = z.object({
  records: many(logRecordAnswer),
  after: line,
  more: z.boolean(),
  skipped: z.boolean(),
})

/** Answers about logs, by port and method. */
export const LOGS_ANSWERS = {
  logs: {
    list: read(
      many(
        z.object({
          file: z.enum(['panel', 'access', 'error', 'php', 'hooks', 'web', 'agent']),
          sizeBytes: z.number(),
        }),
      ),
    ),
    read: read(logPageAnswer, { limitSecs: SLOW_SECS }),
    place: read(line),
    follow: read(logContinuationAnswer, { limitSecs: SLOW_SECS }),
  },
}
