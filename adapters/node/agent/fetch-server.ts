import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { chmodSync, lchownSync, renameSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import type { Log } from '#handlers/ports/log.ts'

export interface FetchServer {
  /** Stops accepting, lets running requests finish for `graceMs`, then breaks them off. */
  close(graceMs: number): Promise<void>
}

/** A written file of 64 MiB in base64, and its envelope. */
const MAX_BODY_BYTES = 96 * 2 ** 20

/** What bodies may take: each, and all that are held at once. */
interface Held {
  maxBytes: number
  maxTogetherBytes: number
  togetherBytes: number
}

/** The body, or null when it is larger than taken, or with the others together. */
const bodyOf = async (
  incoming: IncomingMessage,
  held: Held,
): Promise<Uint8Array<ArrayBuffer> | null> => {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length
      held.togetherBytes += chunk.length
      if (sizeBytes > held.maxBytes || held.togetherBytes > held.maxTogetherBytes) return null
      chunks.push(chunk)
    }
    return new Uint8Array(Buffer.concat(chunks))
  } finally {
    held.togetherBytes -= sizeBytes
  }
}

const answer = async (
  handler: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  held: Held,
  names: readonly string[],
): Promise<void> => {
  const body = await bodyOf(incoming, held)
  if (body === null) {
    outgoing.writeHead(413, { 'content-type': 'application/json', connection: 'close' })
    outgoing.end('{"ok":false,"error":"The request is too large.","status":413}')
    return
  }
  const method = incoming.method ?? 'GET'
  const passed = names.flatMap((name): [string, string][] => {
    const value = incoming.headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  const request = new Request(new URL(incoming.url ?? '/', 'http://agent'), {
    method,
    headers: [
      ['content-type', incoming.headers['content-type'] ?? 'application/octet-stream'],
      ...passed,
    ],
    ...(method === 'GET' || method === 'HEAD' ? {} : { body }),
  })
  const response = await handler(request)
  const content = Buffer.from(await response.arrayBuffer())
  outgoing.writeHead(response.status, {
    ...Object.fromEntries(response.headers),
    'content-length': String(content.length),
  })
  outgoing.end(content)
}

/**
 * Serves a fetch-style handler on a unix socket that only `group` (and root)
 * may connect to: the socket is made closed to all and then opened to the group,
 * so there is no moment in which others could. A file left in its place by an
 * earlier run is removed; the caller holds the lock of the directory.
 */
export const serveFetch = async (options: {
  path: string
  /** Null: nobody but the user itself. */
  gid: number | null
  handler: (request: Request) => Promise<Response>
  /** Default 96 MiB. */
  maxBodyBytes?: number
  /** Of all bodies that are arriving at once; default unbounded. */
  maxHeldBytes?: number
  /** Default unbounded. */
  maxConnections?: number
  /** Names of header fields that the handler gets besides `content-type`; default none. */
  headers?: readonly string[]
  log: Log
}): Promise<FetchServer> => {
  const { path, gid, handler, log } = options
  const held = {
    maxBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    maxTogetherBytes: options.maxHeldBytes ?? Infinity,
    togetherBytes: 0,
  }
  const server: Server = createServer((incoming, outgoing) => {
    answer(handler, incoming, outgoing, held, options.headers ?? []).catch((error: unknown) => {
      log.error('a request on a host socket failed', { path, error: String(error) })
      outgoing.destroy()
    })
  })
  // Long operations answer late, but a request is on its way at once.
  server.requestTimeout = 60_000
  server.headersTimeout = 10_000
  if (options.maxConnections !== undefined) server.maxConnections = options.maxConnections
  // Under another name until its group may connect: who waits for it takes a refusal for a response.
  const fresh = `${path}.new`
  rmSync(fresh, { force: true })
  const before = process.umask(0o177)
  try {
    server.listen(fresh)
  } finally {
    process.umask(before)
  }
  await once(server, 'listening')
  if (gid !== null) lchownSync(fresh, 0, gid)
  chmodSync(fresh, gid === null ? 0o600 : 0o660)
  renameSync(fresh, path)
  return {
    close: async (graceMs) => {
      // Closing removes the name that it was bound to, which is not this one.
      rmSync(path, { force: true })
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(timer)
    },
  }
}
