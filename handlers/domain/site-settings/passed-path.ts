import { z } from 'zod'
import { isPassedPath } from './is-passed-path.ts'

/** A path as `isPassedPath` takes it; `name` is that of the field. */
export const passedPath = (name: string) =>
  z
    .string({ error: `${name} must be a text.` })
    .refine(
      isPassedPath,
      `${name} must be a path such as /api: without blanks, "*", "?", "%", "//", "/.." and a final "/".`,
    )
