import { z } from 'zod'

/** What a submission says before the message: the options of sendmail. */
export const submissionHeadSchema = z.object({
  /** Of `-f`; null: it was not given. */
  sender: z.string().max(1000).nullable(),
  /**
   * Of `-F`, as heads are read here: one character for each byte. Otherwise a character whose
   * lower byte is that of a line's end (U+010A) would end the line. Null: it was not given.
   */
  fullName: z
    .string()
    .max(500)
    .transform((name) => name.replaceAll(/[\p{Cc}<>"\\,;:@()]/gu, ' '))
    .transform((name) => Buffer.from(name, 'utf8').toString('latin1'))
    .nullable(),
  recipients: z.array(z.string().max(1000)).max(2000),
  /** Of `-t`: recipients stand in the message. */
  extract: z.boolean(),
})
export type SubmissionHead = z.output<typeof submissionHeadSchema>

/** Longest head of a submission, in bytes. */
export const MAX_SUBMISSION_HEAD = 256 * 1024
