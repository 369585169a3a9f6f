import { goto } from '$app/navigation'
import { resolve } from '$app/paths'
import { texts } from '$lib/texts'
import { parseResult } from './parse-result'
import type { ApiResult } from './types'

/**
 * Calls the panel's API from the browser with the session cookie. The extra
 * header shows that the call comes from the panel's own page. An ended session
 * leads to the login page and comes back to this one afterwards. With
 * `prefer` long work becomes a job, and the response is `{ job_id }`.
 */
export const callApi = async <T>(
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
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
  if (response.status === 401) {
    const here = location.pathname + location.search
    await goto(resolve(`/login?next=${encodeURIComponent(here)}`), { invalidateAll: true })
  }
  return parseResult<T>(response)
}
