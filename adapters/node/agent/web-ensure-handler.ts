import { AppError, isAppError } from '#handlers/errors.ts'
import type { Log } from '#handlers/ports/log.ts'

const reply = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  })

const domainOf = async (request: Request): Promise<string> => {
  const body: unknown = await request.json().catch(() => null)
  const domain =
    typeof body === 'object' && body !== null && 'domain' in body ? body.domain : undefined
  if (typeof domain !== 'string' || domain.length === 0 || domain.length > 253)
    throw new AppError(400, 'domain must be the primary name of a virtual host.', {
      field: 'domain',
    })
  return domain
}

/**
 * All that the web server may ask the agent: `POST /php/ensure {"domain"}`
 * answers `{ok, data: {socket, uid, protocol}}`; failures are `{ok: false, error}`. Which
 * program runs as whom comes from the registry alone.
 */
export const createWebEnsureHandler =
  (
    ensure: (domain: string) => Promise<{ socket: string; uid: number; protocol: string }>,
    log: Log,
  ) =>
  async (request: Request): Promise<Response> => {
    try {
      if (new URL(request.url).pathname !== '/php/ensure')
        throw new AppError(404, 'There is only POST /php/ensure here.')
      if (request.method !== 'POST') throw new AppError(405, 'Use POST.')
      return reply(200, { ok: true, data: await ensure(await domainOf(request)) })
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
