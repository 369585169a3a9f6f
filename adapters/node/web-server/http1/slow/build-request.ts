import { parseHost } from '#handlers/sites/names/request-host.ts'
import type { Field } from '../../../messages/quick-headers.ts'
import { QuickHeaders } from '../../../messages/quick-headers.ts'
import { QuickRequest } from '../../../messages/quick-request.ts'

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
    /** See `RequestReader.fields`; not changed. */
    fields: readonly Field[]
    signal: () => AbortSignal
  },
): Request =>
  new QuickRequest(
    request.method,
    urlOfKnown(secure, request.host, request.rawTarget),
    new QuickHeaders(request.fields),
    request.signal,
  )
