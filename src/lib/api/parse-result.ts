import { texts } from '$lib/texts'
import { readableError } from './readable-error'
import type { ApiResult } from './types'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Reads the API's envelope; anything else (a proxy's error page) becomes a failure with a plain text. */
export const parseResult = async <T>(response: Response): Promise<ApiResult<T>> => {
  const body: unknown = await response.json().catch(() => null)
  if (isRecord(body) && body['ok'] === true) return { ok: true, data: body['data'] as T }
  const field = response.headers.get('x-error-field')
  const error =
    isRecord(body) && typeof body['error'] === 'string'
      ? readableError(body['error'], field)
      : texts.errors.unreadable(response.status)
  return { ok: false, error, status: response.status, field }
}
