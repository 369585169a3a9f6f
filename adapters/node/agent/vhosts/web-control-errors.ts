import { z } from 'zod'
import { isAppError } from '#handlers/errors.ts'

const NOT_LISTENING = new Set(['ENOENT', 'ECONNREFUSED'])

/** Whether a call failed because nothing listens. */
export const isAbsent = (error: unknown): boolean => {
  const cause = isAppError(error) ? error.cause : error
  return cause instanceof Error && 'code' in cause && NOT_LISTENING.has(String(cause.code))
}

/** Text of `{error}`, with directories cut off paths: it may reach the owner of one site. */
export const errorText = async (response: Response): Promise<string> => {
  const body: unknown = await response.json().catch(() => null)
  const parsed = z.object({ error: z.string() }).safeParse(body)
  const text = parsed.success ? parsed.data.error : `status ${response.status}`
  return text.replace(/\/(?:[^\s/:"'()]+\/)+(?=[^\s/:"'()])/g, '').slice(0, 2000)
}
