import { z } from 'zod'
import { JOB_STATES } from '../../ports/jobs.ts'
import { named, recordId, timestamp } from '../frame/common-schemas.ts'

/** Long work that a client follows. */
export const jobSchema = named('Job', {
  id: z.string(),
  kind: z.string().describe('E.g. account.create.'),
  subject: z.string().describe('What it is about, e.g. a username or domain.'),
  account_id: recordId()
    .nullable()
    .describe('Account whose user may see it; null: administrators alone.'),
  state: z.enum(JOB_STATES),
  progress: z.int().min(0).max(100).describe('Percent.'),
  step: z.string().nullable().describe('What is being done.'),
  detail: z.string().nullable(),
  result: z.unknown().describe('The data that the plain answer would have had; null until done.'),
  error: z.string().nullable().describe('The text that the plain answer would have had.'),
  status: z
    .int()
    .nullable()
    .describe('The HTTP status that the plain answer would have had; null until finished.'),
  created_at: timestamp(),
  started_at: timestamp().nullable(),
  finished_at: timestamp().nullable(),
})
