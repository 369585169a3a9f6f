import { request, type IncomingHttpHeaders } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

export interface BytesResponse {
  status: number
  headers: IncomingHttpHeaders
  /** As it came. */
  body: Buffer
  /** Out of its coding, as text. */
  text: string
}

const decode = (body: Buffer, coding: string | undefined): Buffer => {
  if (coding === 'gzip') return gunzipSync(body)
  return coding === 'br' ? brotliDecompressSync(body) : body
}

/** One HTTP/1.1 request; `onPiece` is told of each piece of the body as it comes. Rejects when the answer breaks off. */
export const askBytes = (
  port: number,
  host: string,
  path: string,
  fields: Record<string, string> = {},
  { method = 'GET', onPiece = (_piece: Buffer): void => undefined } = {},
): Promise<BytesResponse> =>
  new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path, method, headers: { host, ...fields }, agent: false },
      (answer) => {
        const pieces: Buffer[] = []
        answer.on('data', (piece: Buffer) => {
          pieces.push(piece)
          onPiece(piece)
        })
        answer.on('error', reject)
        answer.on('end', () => {
          const body = Buffer.concat(pieces)
          const { statusCode: status = 0, headers } = answer
          const coding = body.length > 0 ? headers['content-encoding'] : undefined
          resolve({ status, headers, body, text: decode(body, coding).toString() })
        })
      },
    )
    asked.on('error', reject)
    asked.end()
  })
