import { parseHost } from '#handlers/sites/request-host.ts'

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
export const headersOfBlock = (block: string): Headers => {
  const headers = new Headers()
  for (const line of block.slice(2, -4).split('\r\n')) {
    const colon = line.indexOf(':')
    // Headers strips the blanks around a value itself.
    headers.append(line.slice(0, colon), line.slice(colon + 1))
  }
  return headers
}
