import { z } from 'zod'
import { isAppError } from '#handlers/errors.ts'

const NOT_LISTENING = new Set(['ENOENT', 'ECONNREFUSED'])

/** Whether a call failed because nothing listens. */
export const isAbsent = (error: unknown): boolean => {
  const cause = isAppError(error) ? error.cause : error
  return cause instanceof Error && 'code' in cause && NOT_LISTENING.has(String(cause.code))
}

const bodySchema = z.object({ error: z.string(), field: z.string().optional() })

/**
 * What a response `{error, field?}` says. `error` may reach the owner of one site:
 * paths have their directories cut off, but for refusals of a field, whose
 * sentences are about what was sent.
 */
export const readFailure = async (
  response: Response,
): Promise<{ error: string; field?: string | undefined }> => {
  const body: unknown = await response.json().catch(() => null)
  const parsed = bodySchema.safeParse(body)
  const { error, field } = parsed.success
    ? parsed.data
    : { error: `status ${response.status}`, field: undefined }
  const named = response.status === 400 && field !== undefined && /^[a-z_]{1,32}$/.test(field)
  if (named) return { error: error.slice(0, 2000), field }
  return { error: error.replace(/\/(?:[^\s/:"'()]+\/)+(?=[^\s/:"'()])/g, '').slice(0, 2000) }
}

/** The `error` of `readFailure`. */
export const errorText = async (response: Response): Promise<string> =>
  (await readFailure(response)).error
