import { fail, type ActionFailure, type RequestEvent } from '@sveltejs/kit'
import { parseResult } from '$lib/api/parse-result'

/** What a form of the entrance shows after a refusal; passwords are never echoed. */
export interface EntranceFailure {
  error: string
  field: string | null
  username: string
}

/**
 * Sends an entrance form to the API. The session cookie of the response reaches
 * the browser, because Kit copies cookies of its internal calls.
 * `null`: let in.
 */
export const enter = async (
  event: RequestEvent,
  path: '/api/auth/login' | '/api/auth/setup',
  input: Record<string, string> & { username: string },
): Promise<ActionFailure<EntranceFailure> | null> => {
  const response = await event.fetch(path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      // The list of sessions names the browser, which this call comes for.
      'User-Agent': event.request.headers.get('user-agent') ?? '',
    },
    body: JSON.stringify(input),
  })
  const result = await parseResult<unknown>(response)
  if (result.ok) return null
  const { error, field, status } = result
  return fail(status, { error, field, username: input.username })
}

/** One text of a posted form; '' when absent or a file. */
export const formText = (form: FormData, name: string): string => {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
