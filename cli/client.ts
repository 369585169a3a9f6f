import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config-types.ts'
import { CliError } from './cli-error.ts'

const TIMEOUT_MS = 30_000

const codeOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

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

  constructor(config: ServerConfig) {
    this.config = config
  }

  /** One call below `/api/v1`; answers the JSON of a success, throws the API's text otherwise. */
  async call(
    method: 'GET' | 'POST',
    path: string,
    query: Record<string, string> = {},
  ): Promise<unknown> {
    const token = readToken(this.config.paths.run_dir)
    const address = this.config.api.listen[0]
    if (address === undefined)
      throw new CliError('api.listen is empty, so there is no management API. Give it an address.')
    const url = new URL(`http://${address}/api/v1${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    let response: Response
    try {
      response = await fetch(url, {
        method,
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
    } catch (error) {
      throw new CliError(
        codeOf(error) === 'ECONNREFUSED'
          ? `Nothing answers at ${address}: the web server does not run. Start Berth with npm start, or name its configuration with --config.`
          : `The web server at ${address} gave no answer: ${error instanceof Error ? error.message : String(error)}. Look into ${join(this.config.paths.log_dir, 'web.log')}.`,
      )
    }
    const text = await response.text()
    const body = parseJson(text)
    if (response.ok) return body
    if (response.status === 401)
      throw new CliError(
        `The program at ${address} does not accept this installation's token. Another instance may hold that address: compare api.listen.`,
      )
    throw new CliError(
      typeof body === 'object' && body !== null && 'error' in body
        ? String(body.error)
        : `The web server answered ${response.status}.`,
    )
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
