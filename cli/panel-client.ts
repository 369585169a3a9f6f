import { request } from 'node:http'
import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config-types.ts'
import { CliError } from './cli-error.ts'

/** Repairs wait for the web server and for users being removed. */
const TIMEOUT_MS = 15 * 60_000

const explain = (error: unknown, socketPath: string, { paths, file }: ServerConfig): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'EACCES')
    return `${socketPath} may not be opened by this user. Run the command as root, or as the user who started Berth.`
  if (code === 'ENOENT' || code === 'ECONNREFUSED')
    return `The panel does not run with ${file} (nothing answers at ${socketPath}). Start Berth with npm start, or name its configuration with --config.`
  return `The panel gave no answer: ${error instanceof Error ? error.message : String(error)}. Look into ${join(paths.log_dir, 'panel.log')}.`
}

/**
 * The panel's REST API as the machine's administrator, over the socket that only
 * root (or the user who started Berth) can open; no token is needed.
 */
export class LocalPanelClient {
  private readonly config: ServerConfig

  constructor(config: ServerConfig) {
    this.config = config
  }

  /** `data` of a successful answer; throws a `CliError` with the API's text otherwise. */
  async call(method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, body?: unknown) {
    const socketPath = join(this.config.paths.run_dir, 'panel-cli.sock')
    const text = await new Promise<string>((resolve, reject) => {
      const outgoing = request(
        {
          socketPath,
          method,
          path,
          agent: false,
          headers: {
            host: 'localhost',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          signal: AbortSignal.timeout(TIMEOUT_MS),
        },
        (incoming) => {
          const chunks: Buffer[] = []
          incoming.on('data', (chunk: Buffer) => void chunks.push(chunk))
          incoming.on('error', reject)
          incoming.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
        },
      )
      outgoing.on('error', reject)
      outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    }).catch((error: unknown): never => {
      throw new CliError(explain(error, socketPath, this.config))
    })
    return dataOf(text)
  }
}

const dataOf = (text: string): unknown => {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    throw new CliError('The panel answered something that is no JSON.')
  }
  if (typeof answer === 'object' && answer !== null && 'ok' in answer) {
    if (answer.ok === true && 'data' in answer) return answer.data
    if ('error' in answer) throw new CliError(String(answer.error))
  }
  throw new CliError('The panel answered in an unknown shape.')
}
