import { parseHost } from '#handlers/sites/request-host.ts'
import { FieldList } from '../messages/field-list.ts'
import { QuickHeaders } from '../messages/quick-headers.ts'
import { QuickRequest } from '../messages/quick-request.ts'

/** A request's head or framing is not acceptable; answered with `status` and closed. */
export class RequestError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.name = 'RequestError'
    this.status = status
  }
}

/** Throws `RequestError` 400 unless `host` is a plain host with an optional port. */
export const checkHost = (host: string): string => {
  if (parseHost(host) === null) throw new RequestError(400, 'The Host field is not a host name.')
  return host
}

/**
 * URL of a request from the judged parts. The URL parser may rewrite the path;
 * what was asked for is `SiteContext.rawTarget`.
 */
export const requestUrl = (secure: boolean, host: string, target: string): string => {
  const url = `${secure ? 'https' : 'http'}://${host}${target}`
  if (!URL.canParse(url)) throw new RequestError(400, 'The request target is not a valid URL.')
  return url
}

/**
 * Headers from a header block that the strict parser has accepted: `block` runs
 * from the request line's CR LF to the empty line.
 */
export const headersOfBlock = (block: string): QuickHeaders => {
  const list = new FieldList()
  const end = block.length - 2
  for (let at = 2; at < end;) {
    const colon = block.indexOf(':', at)
    const lineEnd = block.indexOf('\r\n', colon)
    let from = colon + 1
    let to = lineEnd
    while (from < to && isBlank(block.charCodeAt(from))) from++
    while (to > from && isBlank(block.charCodeAt(to - 1))) to--
    list.add(block.slice(at, colon).toLowerCase(), block.slice(from, to))
    at = lineEnd + 2
  }
  return new QuickHeaders(list.fields)
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09

const MAX_KNOWN_HOSTS = 1000
const knownHosts = new Set<string>()

/** As `requestUrl`, where the target's characters were judged: nothing in a path makes a URL invalid, only its host can. */
const urlOfKnown = (secure: boolean, host: string, target: string): string => {
  if (!knownHosts.has(host)) {
    requestUrl(secure, checkHost(host), '/')
    if (knownHosts.size >= MAX_KNOWN_HOSTS) knownHosts.clear()
    knownHosts.add(host)
  }
  return `${secure ? 'https' : 'http'}://${host}${target}`
}

/** A request that the strict parser has accepted. Throws `RequestError` 400 where its host is none. */
export const buildRequest = (
  secure: boolean,
  request: {
    method: 'GET' | 'HEAD'
    host: string
    rawTarget: string
    block: string
    signal: () => AbortSignal
  },
): Request =>
  new QuickRequest(
    request.method,
    urlOfKnown(secure, request.host, request.rawTarget),
    headersOfBlock(request.block),
    request.signal,
  )
