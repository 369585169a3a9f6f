import { z } from 'zod'
import { FINDING_KINDS, FINDING_LEVELS } from '../../services/doctor/finding.ts'
import { named } from '../frame/common-schemas.ts'

/** A place where records and host differ, or a fault of the machine. */
const findingSchema = named('Finding', {
  host: z
    .string()
    .optional()
    .describe("Name of the host that it is about; absent: the panel's own machine."),
  kind: z.enum(FINDING_KINDS),
  level: z
    .enum(FINDING_LEVELS)
    .describe('fault: something is wrong or fails now; warning: it will, or may.'),
  subject: z.string().describe('What it is about, e.g. a username, a domain or a path.'),
  what: z.string().describe('What is not as it should be.'),
  why: z.string().describe('What comes of it.'),
  fix: z.string().describe('What puts it right.'),
  repairable: z.boolean().describe('Whether `POST /api/doctor/fix` does that.'),
})

export const examinationSchema = z.object({
  clean: z.boolean().describe('Whether there is no fault; warnings do not count.'),
  findings: z.array(findingSchema),
  skipped: z
    .array(z.object({ check: z.string(), reason: z.string() }))
    .describe('Checks that could not be done, and hosts that do not answer, with why.'),
})

export const treatmentSchema = examinationSchema.extend({
  findings: z.array(findingSchema).describe('What is left.'),
  repaired: z.array(findingSchema),
  failed: z
    .array(z.object({ kind: z.enum(FINDING_KINDS), subject: z.string(), error: z.string() }))
    .describe('Repairs that failed, with why.'),
})
