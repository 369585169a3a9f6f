import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { AppError } from '#handlers/errors.ts'
import { HOP_BY_HOP } from '../../messages/hop-by-hop.ts'

/** Methods that a `Request` cannot carry; nothing of ours answers them. */
const UNUSABLE_METHODS = new Set(['CONNECT', 'TRACE', 'TRACK'])
const HOST_PATTERN = /^[A-Za-z0-9._:[\]-]{1,255}$/

/** The URL as the browser asked for it. Throws 400 for a Host or target that makes none. */
export const requestUrl = (incoming: IncomingMessage, secure: boolean): URL => {
  const host = incoming.headers.host ?? ''
  const target = incoming.url ?? ''
  const scheme = secure ? 'https' : 'http'
  try {
    if (!HOST_PATTERN.test(host)) throw new TypeError('host')
    if (target.startsWith('/')) return new URL(`${scheme}://${host}${target}`)
    // Absolute form (RFC 9112, 3.2.2): the path counts, the authority is the Host's.
    if (/^https?:\/\//i.test(target)) {
      const { pathname, search } = new URL(target)
      return new URL(`${scheme}://${host}${pathname}${search}`)
    }
    throw new TypeError('target')
  } catch (error) {
    throw new AppError(400, 'The request line or the Host header is malformed.', { cause: error })
  }
}

/**
 * Node's message as a `Request`; the body is streamed. Methods that a `Request`
 * cannot carry become OPTIONS, which no route has either: the application then
 * answers 401 or 405 as for every other unknown method.
 */
export const toRequest = (incoming: IncomingMessage, url: URL, signal: AbortSignal): Request => {
  const asked = (incoming.method ?? 'GET').toUpperCase()
  const method = UNUSABLE_METHODS.has(asked) ? 'OPTIONS' : asked
  const headers = new Headers()
  for (let at = 0; at + 1 < incoming.rawHeaders.length; at += 2) {
    const name = (incoming.rawHeaders[at] ?? '').toLowerCase()
    if (!HOP_BY_HOP.has(name)) headers.append(name, incoming.rawHeaders[at + 1] ?? '')
  }
  const init: RequestInit & { duplex?: 'half' } = { method, headers, signal }
  if (method !== 'GET' && method !== 'HEAD') {
    // The two types of web stream are the same thing at run time.
    init.body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>
    init.duplex = 'half'
  }
  return new Request(url, init)
}
