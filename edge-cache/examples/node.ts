import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { inFrontOf } from './in-front-of.ts'

type Handle = ReturnType<typeof inFrontOf>

const requestOf = (incoming: IncomingMessage): Request => {
  const { method = 'GET', url = '/', headers } = incoming
  const fields = new Headers()
  for (const [name, value] of Object.entries(headers))
    for (const one of Array.isArray(value) ? value : [value ?? '']) fields.append(name, one)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(`http://${headers.host ?? 'localhost'}${url}`, {
    method,
    headers: fields,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' } : {}),
  } as RequestInit)
}

const answer = async (handle: Handle, incoming: IncomingMessage, outgoing: ServerResponse) => {
  const response = await handle(requestOf(incoming), incoming.socket.remoteAddress ?? '')
  outgoing.statusCode = response.status
  for (const [name, value] of response.headers)
    if (name !== 'set-cookie') outgoing.setHeader(name, value)
  const cookies = response.headers.getSetCookie()
  if (cookies.length > 0) outgoing.setHeader('set-cookie', cookies)
  if (response.body === null || incoming.method === 'HEAD') outgoing.end()
  else Readable.fromWeb(response.body as NodeStream).pipe(outgoing)
}

/** A server with the page cache before `origin`; not listening yet. */
export const createFront = (options: { origin: string; purgeToken: string }) => {
  const handle = inFrontOf(options)
  return createServer((incoming, outgoing) => {
    answer(handle, incoming, outgoing).catch((error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(502).end('The origin cannot be reached.\n')
    })
  })
}

// node edge-cache/examples/node.ts http://127.0.0.1:3000 8080
if (import.meta.filename === process.argv[1]) {
  const [origin = 'http://127.0.0.1:3000', port = '8080'] = process.argv.slice(2)
  createFront({ origin, purgeToken: process.env['PURGE_TOKEN'] ?? crypto.randomUUID() }).listen(
    Number(port),
    () => process.stdout.write(`http://localhost:${port} stands before ${origin}\n`),
  )
}
