import { STATUS_CODES } from 'node:http'

/** Body of a short text answer; ASCII. */
export const plainText = (status: number, text: string): string =>
  `${status} ${STATUS_CODES[status] ?? 'Error'}\n${text}\n`

/** A short text answer for what never reaches a site: malformed requests and faults of ours. */
export const plainResponse = (
  status: number,
  text: string,
  headers: Record<string, string> = {},
): Response => {
  const body = plainText(status, text)
  return new Response(body, {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(new TextEncoder().encode(body).byteLength),
      'cache-control': 'no-store',
      ...headers,
    },
  })
}
