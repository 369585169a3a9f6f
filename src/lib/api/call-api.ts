import { goto } from '$app/navigation'
import { resolve } from '$app/paths'
import { texts } from '$lib/texts'
import { parseResult } from './parse-result'
import type { ApiResult } from './types'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Calls the panel's API from the browser, also from pages of which nobody is logged in. The
 * extra header shows that the call comes from the panel's own page.
 */
export const sendApi = async <T>(
  method: Method,
  path: string,
  body?: unknown,
  prefer?: 'respond-async',
): Promise<ApiResult<T>> => {
  let response: Response
  try {
    response = await fetch(path, {
      method,
      headers: {
        'X-Requested-With': 'berth',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(prefer === undefined ? {} : { Prefer: prefer }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      credentials: 'same-origin',
    })
  } catch {
    return { ok: false, error: texts.errors.unreachable, status: 0, field: null }
  }
  return parseResult<T>(response)
}

/**
 * The same with a session: one that has ended leads to the login page and comes back to
 * this one afterwards. With `prefer` long work becomes a job, and the response is `{ job_id }`.
 */
export const callApi = async <T>(
  method: Method,
  path: string,
  body?: unknown,
  prefer?: 'respond-async',
): Promise<ApiResult<T>> => {
  const result = await sendApi<T>(method, path, body, prefer)
  if (!result.ok && result.status === 401) {
    const here = location.pathname + location.search
    await goto(resolve(`/login?next=${encodeURIComponent(here)}`), { invalidateAll: true })
  }
  return result
}
