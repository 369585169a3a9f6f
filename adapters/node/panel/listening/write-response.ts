import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'

/** Sends a `Response`: JSON whole with its length, anything else, and JSON whose length is known, streamed at the client's pace. */
export const writeResponse = async (
  response: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> => {
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') outgoing.setHeader(name, value)
  }
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies)
  // What is left of an unread body would be taken for the next request.
  if (!incoming.complete) outgoing.setHeader('connection', 'close')
  outgoing.statusCode = response.status
  if (response.body === null || incoming.method === 'HEAD') {
    await response.body?.cancel()
    outgoing.end()
    return
  }
  const json = response.headers.get('content-type')?.startsWith('application/json')
  if (json && !response.headers.has('content-length')) {
    const body = new Uint8Array(await response.arrayBuffer())
    outgoing.setHeader('content-length', body.byteLength)
    outgoing.end(body)
    return
  }
  await pipeline(Readable.fromWeb(response.body as NodeReadableStream<Uint8Array>), outgoing)
}
