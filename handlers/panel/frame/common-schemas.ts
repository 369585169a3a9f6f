import { z, type ZodRawShape } from 'zod'

/** An object of answers under its name in the API document. */
export const named = <Shape extends ZodRawShape>(id: string, shape: Shape) =>
  z.object(shape).meta({ id })

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export const timestamp = () =>
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    .describe('UTC, YYYY-MM-DD HH:MM:SS.')

/** What a user of the panel is. */
export const role = () => z.enum(['admin', 'reseller', 'account'])

/** An id of a record, in an answer. */
export const recordId = () => z.int().positive()

/** A count or a size, in an answer. */
export const count = () => z.int().min(0)
