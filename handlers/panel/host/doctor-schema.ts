import { z } from 'zod'
import { FINDING_KINDS } from '../../services/doctor/finding.ts'

/** A place where records and host differ. */
const findingSchema = z
  .object({
    kind: z.enum(FINDING_KINDS),
    subject: z.string().describe('What it is about, e.g. a username, a domain or a path.'),
    what: z.string().describe('What is not as it should be.'),
    fix: z.string().describe('What puts it right.'),
    repairable: z.boolean().describe('Whether `POST /api/doctor/fix` does that.'),
  })
  .meta({ id: 'Finding' })

export const examinationSchema = z.object({
  clean: z.boolean().describe('Whether nothing was found.'),
  findings: z.array(findingSchema),
})

export const treatmentSchema = examinationSchema.extend({
  findings: z.array(findingSchema).describe('What is left.'),
  repaired: z.array(findingSchema),
  failed: z
    .array(z.object({ kind: z.enum(FINDING_KINDS), subject: z.string(), error: z.string() }))
    .describe('Repairs that failed, with why.'),
})
