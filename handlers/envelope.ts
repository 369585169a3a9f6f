import { diskFull, INTERNAL_ERROR, isAppError, PANEL_DISK } from './errors.ts'

const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const

/** `{ok:true,data}` with status 200. */
export const ok = (data: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify({ ok: true, data: data ?? null }), {
    status: 200,
    headers: { ...JSON_HEADERS, ...headers },
  })

/**
 * `{ok:false,error}` for anything thrown; the single place where errors become
 * responses. Unexpected ones go to `log` and are answered with a fixed text.
 * Field errors carry the field's name in `X-Error-Field` for the UI.
 */
export const fail = (error: unknown, log: (error: unknown) => void): Response => {
  if (isAppError(error)) {
    return new Response(JSON.stringify({ ok: false, error: error.message }), {
      status: error.status,
      headers: {
        ...JSON_HEADERS,
        ...(error.field === undefined ? {} : { 'x-error-field': error.field }),
        ...error.headers,
      },
    })
  }
  log(error)
  const known = diskFull(error, PANEL_DISK)
  if (known !== null) return fail(known, log)
  return new Response(JSON.stringify({ ok: false, error: INTERNAL_ERROR }), {
    status: 500,
    headers: JSON_HEADERS,
  })
}
