import { z } from 'zod'
import { named } from '../frame/common-schemas.ts'

/** See `WorkerStall`. */
export const workerStallSchema = named('WorkerStall', {
  at: z.string().describe('When it began: UTC, `YYYY-MM-DD HH:MM:SS`.'),
  secs: z.number().nonnegative().describe('How long it lasted, or until the worker was ended.'),
  ended: z.boolean().describe('Whether the worker was ended for it.'),
  site: z.string().nullable().describe('Primary domain of the site that it worked for.'),
  method: z.string().nullable(),
  target: z.string().nullable().describe('Request target as received.'),
  part: z
    .enum(['request', 'rules'])
    .nullable()
    .describe("What of the request was under way: the site's rules, or anything else."),
  held: z
    .boolean()
    .describe("Whether the site's rules or the path are answered with 503 for it now."),
})
