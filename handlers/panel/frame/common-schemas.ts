import { z } from 'zod'

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export const timestamp = () =>
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    .describe('UTC, YYYY-MM-DD HH:MM:SS.')

/** An id of a record, in an answer. */
export const recordId = () => z.int().positive()

/** A count or a size, in an answer. */
export const count = () => z.int().min(0)
