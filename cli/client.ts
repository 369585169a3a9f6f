import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { trimEndOf } from '#edge-cache/fields/field-text.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { CliError } from './cli-error.ts'
import { codeOf, reasonOf } from './read-text.ts'

const TIMEOUT_MS = 30_000

/** What `fetch` failed for stands in its cause. */
const causeOf = (error: unknown): unknown =>
  error instanceof Error && error.cause instanceof Error ? error.cause : error

const readToken = (runDir: string): string => {
  const file = join(runDir, 'management.token')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EACCES')
      throw new CliError(
        `${file} may not be read by this user. Run the command as root, or as the user who started Berth.`,
      )
    throw new CliError(
      `Berth does not run with this configuration (no ${file}). Start it with npm start, or name its configuration with --config.`,
    )
  }
}

/** The web server's management API, found and entered through the configuration. */
export class ManagementClient {
  private readonly config: ServerConfig
  private readonly api: string | undefined

  /** `api` is the address of another management API than the configuration's, e.g. `http://127.0.0.1:8090`. */
  constructor(config: ServerConfig, api?: string) {
    this.config = config
    this.api = api
  }

  /** One call below `/api/v1`; answers the JSON of a success, throws the API's text otherwise. */
  async call(
    method: 'GET' | 'POST',
    path: string,
    query: Record<string, string> = {},
    body?: unknown,
  ): Promise<unknown> {
    const base = this.base()
    const token = readToken(this.config.paths.run_dir)
    const address = base.host
    const url = new URL(`${trimEndOf(base.href, '/')}/api/v1${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    let response: Response
    try {
      response = await fetch(url, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        redirect: 'error',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
    } catch (error) {
      throw new CliError(
        codeOf(causeOf(error)) === 'ECONNREFUSED'
          ? `Nothing answers at ${address}: the web server does not run. Start Berth (berth service start, or npm start in its directory), or name its configuration with --config.`
          : `The web server at ${address} gave no answer: ${reasonOf(causeOf(error))}. Look into ${join(this.config.paths.log_dir, 'web.log')}.`,
      )
    }
    const text = await response.text()
    const answer = parseJson(text)
    if (response.ok) return answer
    if (response.status === 401)
      throw new CliError(
        `The program at ${address} does not accept this installation's token. Another instance may hold that address: compare api.listen.`,
      )
    throw new CliError(
      typeof answer === 'object' && answer !== null && 'error' in answer
        ? String(answer.error)
        : `The web server answered ${response.status}.`,
    )
  }

  /** Where the API lies, without the `/api/v1` that may be written out. */
  private base(): URL {
    if (this.api !== undefined) {
      const text = trimEndOf(this.api, '/').replace(/\/api\/v1$/, '')
      const url = URL.canParse(text) ? new URL(text) : null
      if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
        throw new CliError(
          `--api ${this.api} is no address of a management API. Give one such as http://127.0.0.1:8090.`,
          2,
        )
      return url
    }
    const address = this.config.api.listen[0]
    if (address === undefined)
      throw new CliError('api.listen is empty, so there is no management API. Give it an address.')
    return new URL(`http://${address}`)
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
