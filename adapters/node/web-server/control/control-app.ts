import { z } from 'zod'
import { challengeChange, type ChallengeChange } from '../tls/challenges.ts'

/** What the control socket reaches in the primary. */
export interface ControlPort {
  /** Loads the configuration anew; resolves when all workers serve it, rejects with `ReloadError` when it is refused. */
  reload(): Promise<{ virtual_hosts: number; workers: number }>
  /** A reload that also replaces all workers; resolves when the new ones serve, while the old ones may still finish. */
  restart(): Promise<{ virtual_hosts: number; workers: number }>
  status(): Promise<{
    pid: number
    version: string
    uptime_secs: number
    workers: number
    virtual_hosts: number
    connections: number
    requests: number
  }>
  /** Purges the pages of the named hosts; with none, everything. */
  purgeDomains(domains: string[]): Promise<{ sequence: number; workers: number }>
  /** Adds and removes answers to certificate authorities; resolves when all workers give them. */
  changeChallenges(change: ChallengeChange): Promise<void>
}

/** The new configuration is not usable; the old one stays in force. The message names file, line and key. */
export class ReloadError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ReloadError'
  }
}

const json = (data: unknown, status = 200): Response =>
  new Response(JSON.stringify(data), { status, headers: { 'content-type': 'application/json' } })

const readDomains = async (request: Request): Promise<string[] | null> => {
  const text = await request.text()
  if (text === '') return []
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof body !== 'object' || body === null || !('domains' in body)) return null
  const { domains } = body
  if (!Array.isArray(domains)) return null
  return domains.every((domain): domain is string => typeof domain === 'string') ? domains : null
}

/** Handler of `web.sock`; who may connect is decided by the socket's owner and mode. */
export const createControlApp =
  (port: ControlPort): ((request: Request) => Promise<Response>) =>
  async (request) => {
    const { pathname } = new URL(request.url)
    const route = `${request.method} ${pathname}`
    if (route === 'GET /status') return json(await port.status())
    if (route === 'POST /reload' || route === 'POST /restart') {
      try {
        return json(await (pathname === '/restart' ? port.restart() : port.reload()))
      } catch (error) {
        if (!(error instanceof ReloadError)) throw error
        return json({ error: error.message }, 422)
      }
    }
    if (route === 'POST /purge') {
      const domains = await readDomains(request)
      if (domains === null) {
        return json({ error: 'The body must be {"domains":["example.com"]}; [] purges all.' }, 400)
      }
      return json(await port.purgeDomains(domains))
    }
    if (route === 'POST /challenges') {
      const parsed = challengeChange.safeParse(await request.json().catch(() => null))
      if (!parsed.success) return json({ error: z.prettifyError(parsed.error) }, 400)
      await port.changeChallenges(parsed.data)
      return json({})
    }
    return json(
      { error: 'Use GET /status, POST /reload, POST /restart, POST /purge or POST /challenges.' },
      404,
    )
  }
