import type { IncomingMessage } from 'node:http'
import { refusalOfMethod } from '../../../messages/served-methods.ts'
import { checkHost, RequestError, requestUrl } from '../slow/build-request.ts'

/** What a request of the general HTTP server asks for, judged. */
export interface JudgedTarget {
  url: string
  rawTarget: string
  /** Host field or authority as sent. */
  host: string
}

const ABSOLUTE = /^https?:\/\/([^/?#]+)/i

const hostFields = (message: IncomingMessage): string[] => {
  const { rawHeaders } = message
  const found: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === 'host') found.push(rawHeaders[i + 1] ?? '')
  }
  return found
}

/**
 * Judges method, target and Host (RFC 9112 3.2). An absolute-form target must
 * name the same host as the Host field: two names for one request are how
 * caches get poisoned. Throws `RequestError`.
 */
export const judgeTarget = (message: IncomingMessage, secure: boolean): JudgedTarget => {
  const method = message.method ?? ''
  const refusal = refusalOfMethod(method)
  if (refusal !== null) {
    throw new RequestError(refusal, `The method ${method.slice(0, 20)} is not supported.`)
  }
  // node:http takes 0.9 and 2.0 for versions of a request line as well.
  if (message.httpVersion !== '1.1' && message.httpVersion !== '1.0') {
    throw new RequestError(505, `HTTP/${message.httpVersion} is not spoken in this form.`)
  }
  const hosts = hostFields(message)
  if (hosts.length > 1) throw new RequestError(400, 'There is more than one Host field.')
  if (hosts.length === 0 && message.httpVersion !== '1.0') {
    throw new RequestError(400, 'The Host field is missing.')
  }
  // HTTP/1.0 knows no Host; such a request reaches whatever answers unknown hosts.
  let host = hosts[0] ?? 'unknown.invalid'
  let rawTarget = message.url ?? ''
  const absolute = ABSOLUTE.exec(rawTarget)
  if (absolute) {
    const authority = absolute[1] ?? ''
    if (hosts.length === 1 && authority.toLowerCase() !== host.toLowerCase()) {
      throw new RequestError(400, 'The request target and the Host field name different hosts.')
    }
    host = authority
    const rest = rawTarget.slice(absolute[0].length)
    rawTarget = rest.startsWith('/') ? rest : `/${rest}`
  }
  // About the server itself (RFC 9112, 3.2.4).
  if (rawTarget === '*' && method === 'OPTIONS') {
    return { url: requestUrl(secure, checkHost(host), '/'), rawTarget, host }
  }
  if (!rawTarget.startsWith('/') || rawTarget.includes('#')) {
    throw new RequestError(400, 'The request target must be a path.')
  }
  return { url: requestUrl(secure, checkHost(host), rawTarget), rawTarget, host }
}

/**
 * Whether a request that is answered as an ordinary one named another protocol.
 * node:http drops what stands behind it in the same packet and reads on with the
 * next, so no request may follow on its connection.
 */
export const isUpgradeIgnored = (message: IncomingMessage): boolean =>
  message.headers.upgrade !== undefined

/** End-to-end and connection headers as received; repeated fields are kept apart or joined as Fetch says. */
export const headersOfMessage = (message: IncomingMessage): Headers => {
  const headers = new Headers()
  const { rawHeaders } = message
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    headers.append(rawHeaders[i] ?? '', rawHeaders[i + 1] ?? '')
  }
  return headers
}

/** `METHOD target HTTP/1.1` and its line end, without method and target; the empty line behind all. */
const LINE_BYTES = ' '.length + ' HTTP/1.1\r\n'.length + '\r\n'.length
/** Colon and line end of a field. */
const FIELD_BYTES = 3

/** Bytes that a request's head has at least, whatever blanks it was written with: node:http itself counts names and values alone. */
export const headBytes = ({ method = '', url = '', rawHeaders }: IncomingMessage): number => {
  let bytes = method.length + url.length + LINE_BYTES + (rawHeaders.length / 2) * FIELD_BYTES
  for (const text of rawHeaders) bytes += text.length
  return bytes
}
