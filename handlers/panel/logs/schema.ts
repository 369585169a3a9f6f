import { z } from 'zod'
import { LOG_FILES, LOG_LEVELS } from '../../ports/host/logs.ts'
import { named, timestamp } from '../frame/common-schemas.ts'

export const logPlace = () => z.string().regex(/^\d{1,20}-\d{1,15}$/)

export const logSourceSchema = named('LogSource', {
  source: z
    .enum(LOG_FILES)
    .describe(
      "access: every request to a site; error: the web server's errors; php: what scripts write to their standard error; hooks: hook activity; web, panel, agent: the processes. An installation has those it has written to.",
    ),
  size_bytes: z
    .int()
    .nullable()
    .describe('Of the current file; null for accounts, whose lines are a part of it.'),
})

export const logLineSchema = named('LogLine', {
  id: logPlace().describe('Unique within the log.'),
  time: timestamp().nullable(),
  level: z
    .enum(LOG_LEVELS)
    .describe('Of a request: error for 5xx, warn for 4xx, info for everything else.'),
  domain: z.string().nullable().describe('The requested name, or the site.'),
  status: z.int().nullable(),
  method: z.string().nullable(),
  path: z.string().nullable().describe('Path and query.'),
  client: z.string().nullable().describe('Address.'),
  bytes: z.int().nullable().describe("Of the answer's body."),
  duration_ms: z.int().nullable(),
  cache: z.string().nullable().describe('HIT or MISS.'),
  referer: z.string().nullable(),
  user_agent: z.string().nullable(),
  message: z.string(),
  raw: z
    .string()
    .describe(
      'The line as it was written, but for masked secrets and control, bidirectional and invisible characters, which are written out (\\x1b, \\u{202e}). Hostile text all the same.',
    ),
  cut: z.boolean().describe('Whether the line is longer than 8 KiB, of which the rest is missing.'),
})

export const logPageSchema = z.object({
  lines: z.array(logLineSchema).describe('Newest first.'),
  next: logPlace().nullable().describe('Value of before for older lines; null: there are none.'),
  truncated: z
    .boolean()
    .describe(
      'The search ended because it had read 8 MiB, not because of enough lines or the begin of the log. With next it goes on.',
    ),
  end: logPlace().describe('Value of after, to follow the log from here on.'),
})
