import { AppError, isAppError } from '#handlers/errors.ts'
import { MAX_DIRECTORY_SETTINGS } from '#handlers/domain/php/directory-ini.ts'
import type { Log } from '#handlers/ports/log.ts'

const reply = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  })

/** Far more than a message with the most and longest settings takes. */
const MAX_BODY_CHARS = 65_536

const questionOf = async (request: Request): Promise<[string, Record<string, string>]> => {
  const text = await request.text()
  let body: unknown = null
  try {
    if (text.length <= MAX_BODY_CHARS) body = JSON.parse(text)
  } catch {
    // Answered below.
  }
  const domain =
    typeof body === 'object' && body !== null && 'domain' in body ? body.domain : undefined
  if (typeof domain !== 'string' || domain.length === 0 || domain.length > 253)
    throw new AppError(400, 'domain must be the primary name of a virtual host.', {
      field: 'domain',
    })
  const ini = typeof body === 'object' && body !== null && 'ini' in body ? body.ini : {}
  if (typeof ini !== 'object' || ini === null || Array.isArray(ini))
    throw new AppError(400, 'ini must be an object.', { field: 'ini' })
  const settings: [string, unknown][] = Object.entries(ini)
  const texts = settings.flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : [],
  )
  if (texts.length < settings.length || texts.length > MAX_DIRECTORY_SETTINGS)
    throw new AppError(400, `ini must hold texts, at most ${MAX_DIRECTORY_SETTINGS}.`, {
      field: 'ini',
    })
  return [domain, Object.fromEntries(texts)]
}

/**
 * All that the web server may ask the agent: `POST /php/ensure {"domain", "ini"}`
 * answers `{ok, data: {socket, uid, protocol}}`; failures are `{ok: false, error}`. `ini`,
 * which may be missing, holds settings of a directory. Which program runs as whom comes
 * from the registry alone.
 */
export const createWebEnsureHandler =
  (
    ensure: (
      domain: string,
      ini: Record<string, string>,
    ) => Promise<{ socket: string; uid: number; protocol: string }>,
    log: Log,
  ) =>
  async (request: Request): Promise<Response> => {
    try {
      if (new URL(request.url).pathname !== '/php/ensure')
        throw new AppError(404, 'There is only POST /php/ensure here.')
      if (request.method !== 'POST') throw new AppError(405, 'Use POST.')
      return reply(200, { ok: true, data: await ensure(...(await questionOf(request))) })
    } catch (error) {
      if (isAppError(error)) return reply(error.status, { ok: false, error: error.message })
      log.error('PHP could not be ensured', {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      })
      return reply(500, {
        ok: false,
        error: 'The host agent met an unexpected error. See its log.',
      })
    }
  }
