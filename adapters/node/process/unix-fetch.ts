import { request as httpRequest } from 'node:http'
import { isAppError, unavailable } from '#handlers/errors.ts'

export interface UnixFetchOptions {
  /** Milliseconds for the whole response. Default 900000: removing a large account takes its time. */
  timeoutMs?: number
  /** Largest answer taken, in bytes. Default 64 MiB. */
  maxBytes?: number
  /** Text of the 503 when nothing listens. */
  unreachable?: string
}

const UNREACHABLE =
  'The host agent is not reachable. Check that "berth serve" runs and look into its log, then try again.'

/**
 * fetch over a unix socket: a fresh connection per request, bodies as a whole.
 * Any failure to connect or to read the whole response is an `AppError` 503.
 */
export const unixFetch =
  (socketPath: string, options: UnixFetchOptions = {}): ((request: Request) => Promise<Response>) =>
  async (request) => {
    const body = new Uint8Array(await request.arrayBuffer())
    const url = new URL(request.url)
    const maxBytes = options.maxBytes ?? 64 * 2 ** 20
    const headers: Record<string, string> = Object.fromEntries(request.headers)
    headers['host'] = url.host
    if (body.byteLength > 0) headers['content-length'] = String(body.byteLength)
    try {
      return await new Promise<Response>((resolve, reject) => {
        const outgoing = httpRequest(
          {
            socketPath,
            method: request.method,
            path: url.pathname + url.search,
            headers,
            agent: false,
            signal: AbortSignal.any([
              request.signal,
              AbortSignal.timeout(options.timeoutMs ?? 900_000),
            ]),
          },
          (incoming) => {
            const chunks: Uint8Array[] = []
            let sizeBytes = 0
            incoming.on('data', (chunk: Uint8Array) => {
              sizeBytes += chunk.byteLength
              if (sizeBytes > maxBytes) incoming.destroy(new Error('the answer is too large'))
              else chunks.push(chunk)
            })
            incoming.on('error', reject)
            incoming.on('end', () => {
              const status = incoming.statusCode ?? 502
              const bodyless = status === 204 || status === 304
              resolve(
                new Response(bodyless ? null : Buffer.concat(chunks), {
                  status,
                  headers: flatHeaders(incoming.rawHeaders),
                }),
              )
            })
          },
        )
        outgoing.on('error', reject)
        outgoing.end(body)
      })
    } catch (error) {
      if (isAppError(error)) throw error
      throw unavailable(options.unreachable ?? UNREACHABLE, error)
    }
  }

const flatHeaders = (raw: readonly string[]): Headers => {
  const headers = new Headers()
  for (let i = 0; i + 1 < raw.length; i += 2) headers.append(raw[i] ?? '', raw[i + 1] ?? '')
  return headers
}
