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

interface Question {
  domain: string
  ini: Record<string, string>
  /** Default: that of the whole host. */
  application?: string
}

const questionOf = async (request: Request): Promise<Question> => {
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
  const application =
    typeof body === 'object' && body !== null && 'application' in body ? body.application : null
  return {
    ...{ domain, ini: Object.fromEntries(texts) },
    ...(typeof application === 'string' && { application }),
  }
}

const PATHS: readonly string[] = ['/php/ensure', '/app/ensure', '/wordpress/enter']

/** What the web server may have started for it. */
export interface WebEnsures {
  /** PHP of a virtual host, by its primary name. */
  php(
    domain: string,
    ini: Record<string, string>,
  ): Promise<{ socket: string; uid: number; protocol: string }>
  /** An application of a virtual host, by default the one of the whole host; resolves once it answers. */
  application(domain: string, name?: string): Promise<void>
  /** Takes a ticket that a browser sent to a site; see `EnterSite`. */
  login(domain: string, ticket: string): Promise<{ cookies: string[]; location: string }>
}

const ticketOf = async (request: Request): Promise<[string, string]> => {
  const text = await request.text()
  try {
    const body: unknown = text.length <= MAX_BODY_CHARS ? JSON.parse(text) : null
    const { domain, ticket } = body as { domain: unknown; ticket: unknown }
    if (typeof domain === 'string' && typeof ticket === 'string') return [domain, ticket]
  } catch {
    // Answered below.
  }
  throw new AppError(400, 'domain and ticket must be texts.', { field: 'ticket' })
}

/**
 * All that the web server may ask the agent. `POST /php/ensure {"domain", "ini"}`
 * answers `{ok, data: {socket, uid, protocol}}`; `ini`, which may be missing, holds settings of a
 * directory. `POST /app/ensure {"domain", "application"}` answers `{ok, data: null}` once the application
 * answers. `POST /wordpress/enter {"domain", "ticket"}` answers `{ok, data: {cookies, location}}`.
 * Failures are `{ok: false, error}`. Which program runs as whom comes from the registry alone, and
 * what a ticket opens from who asked for it.
 */
export const createWebEnsureHandler =
  (ensure: WebEnsures, log: Log) =>
  async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    try {
      if (!PATHS.includes(pathname))
        throw new AppError(
          404,
          `There are only ${PATHS.map((one) => `POST ${one}`).join(', ')} here.`,
        )
      if (request.method !== 'POST') throw new AppError(405, 'Use POST.')
      if (pathname === '/wordpress/enter')
        return reply(200, { ok: true, data: await ensure.login(...(await ticketOf(request))) })
      const { domain, ini, application } = await questionOf(request)
      if (pathname === '/php/ensure')
        return reply(200, { ok: true, data: await ensure.php(domain, ini) })
      await ensure.application(domain, application)
      return reply(200, { ok: true, data: null })
    } catch (error) {
      if (isAppError(error)) return reply(error.status, { ok: false, error: error.message })
      log.error(`${pathname} failed`, {
        error: error instanceof Error ? (error.stack ?? error.message) : String(error),
      })
      return reply(500, {
        ok: false,
        error: 'The host agent met an unexpected error. See its log.',
      })
    }
  }
