import { trimEndOf } from '../../../edge-cache/index.ts'
import { SERVER_SOFTWARE } from '../origins/server-software.ts'
import { shownHost, shownPort } from '../names/shown-host.ts'
import { spend } from './pattern/matching.ts'
import type { RuleRequest } from './rule-request.ts'

const two = (value: number): string => String(value).padStart(2, '0')

/** Parts of the time, in UTC. */
const timePart = (name: string, nowMs: number): string => {
  const date = new Date(nowMs)
  const parts: Record<string, string> = {
    TIME_YEAR: String(date.getUTCFullYear()),
    TIME_MON: two(date.getUTCMonth() + 1),
    TIME_DAY: two(date.getUTCDate()),
    TIME_HOUR: two(date.getUTCHours()),
    TIME_MIN: two(date.getUTCMinutes()),
    TIME_SEC: two(date.getUTCSeconds()),
    TIME_WDAY: String(date.getUTCDay()),
  }
  if (name !== 'TIME') return parts[name] ?? ''
  const order = ['YEAR', 'MON', 'DAY', 'HOUR', 'MIN', 'SEC']
  return order.map((part) => parts[`TIME_${part}`]).join('')
}

/** So many fields are looked for without a look at how many there are. */
const FREE_LOOKS = 64
/** Fields that are passed by at the cost of one step. */
const FIELDS_PER_STEP = 8

interface Looks {
  count: number
  fields: number
}
const looks = new WeakMap<Headers, Looks>()

/** A field is looked for among all: few rules ask for few fields, and others pay for it. Throws `PatternLimit`. */
const payLook = ({ headers, budget }: RuleRequest): void => {
  let known = looks.get(headers)
  if (known === undefined) looks.set(headers, (known = { count: 0, fields: 0 }))
  if (++known.count <= FREE_LOOKS) return
  if (known.fields === 0) for (const _ of headers.keys()) known.fields++
  spend(budget, 1 + Math.floor(known.fields / FIELDS_PER_STEP))
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Value of a request header; empty when it is missing or no name of a header. `Host` is what scripts are shown too. Throws `PatternLimit`. */
export const headerOf = (request: RuleRequest, name: string): string => {
  const { headers, context, host } = request
  payLook(request)
  if (name.toLowerCase() === 'host') return shownHost(headers, context, host)
  return HEADER_NAME.test(name) ? (headers.get(name) ?? '') : ''
}

const HEADERS: Readonly<Record<string, string>> = {
  HTTP_USER_AGENT: 'user-agent',
  HTTP_REFERER: 'referer',
  HTTP_COOKIE: 'cookie',
  HTTP_FORWARDED: 'forwarded',
  HTTP_HOST: 'host',
  HTTP_PROXY_CONNECTION: 'proxy-connection',
  HTTP_ACCEPT: 'accept',
}

/** Kinds of variables that are headers of the request. */
const HEADER_KINDS = new Set(['HTTP', 'REQ', 'REQ_NOVARY'])

/** Value of a server variable as `%{NAME}` in rules; empty when it has none. */
export const variableOf = (name: string, request: RuleRequest): string => {
  const { context, vhost } = request
  const colon = name.indexOf(':')
  if (colon !== -1) {
    const kind = name.slice(0, colon).toUpperCase()
    const rest = name.slice(colon + 1)
    if (HEADER_KINDS.has(kind)) return headerOf(request, rest)
    if (kind === 'ENV' || kind === 'REQENV') return request.env.get(rest) ?? ''
    if (kind === 'RESP')
      return HEADER_NAME.test(rest) ? (request.response?.headers.get(rest) ?? '') : ''
    if (kind === 'LA-U' || kind === 'LA-F') return variableOf(rest, request)
    return ''
  }
  const upper = name.toUpperCase()
  const header = HEADERS[upper]
  if (header !== undefined) return headerOf(request, header)
  if (upper.startsWith('TIME')) return timePart(upper, request.nowMs)
  switch (upper) {
    case 'REQUEST_URI':
    case 'DOCUMENT_URI':
    case 'SCRIPT_NAME':
      return request.uri
    case 'REQUEST_FILENAME':
    case 'SCRIPT_FILENAME':
      return request.filename
    case 'PATH_INFO':
      return request.pathInfo
    case 'QUERY_STRING':
      return request.query
    case 'REQUEST_METHOD':
      return request.method
    case 'THE_REQUEST':
      return `${request.method} ${context.rawTarget} ${context.protocol}`
    case 'HTTPS':
      return context.secure ? 'on' : 'off'
    case 'REQUEST_SCHEME':
      return context.secure ? 'https' : 'http'
    case 'REMOTE_ADDR':
    case 'REMOTE_HOST':
    case 'CONN_REMOTE_ADDR':
      return context.clientAddress
    case 'REMOTE_PORT':
      return String(context.clientPort)
    case 'REMOTE_USER':
    case 'REMOTE_IDENT':
      return upper === 'REMOTE_USER' ? request.user : ''
    case 'AUTH_TYPE':
      return request.user === '' ? '' : 'Basic'
    case 'SERVER_NAME':
      return request.host
    case 'SERVER_ADDR':
      return context.serverAddress
    case 'SERVER_PORT':
      return String(shownPort(request.headers, context))
    case 'SERVER_PROTOCOL':
      return context.protocol
    case 'SERVER_SOFTWARE':
      return SERVER_SOFTWARE
    case 'SERVER_ADMIN':
      return ''
    case 'DOCUMENT_ROOT':
    case 'CONTEXT_DOCUMENT_ROOT':
      return trimEndOf(vhost.root, '/')
    case 'IS_SUBREQ':
      return request.inner ? 'true' : 'false'
    case 'HTTP2':
      return context.protocol === 'HTTP/2.0' ? 'on' : 'off'
    case 'IPV6':
      return context.clientAddress.includes(':') ? 'on' : 'off'
    case 'CONTENT_TYPE':
      return request.response?.headers.get('content-type') ?? ''
    case 'REQUEST_STATUS':
      return request.response === undefined ? '' : String(request.response.status)
    case 'API_VERSION':
      return '20120211:126'
    default:
      return ''
  }
}

/**
 * Parts of a request that differ between clients, by which rules may decide. `response`: what
 * is asked of the response, which all visitors of a page share too.
 */
export type Dependency =
  | 'address'
  | 'cookie'
  | 'authorization'
  | 'header'
  | 'method'
  | 'query'
  | 'time'
  | 'response'
  | 'none'

/** Which part of a request a variable shows. What all visitors of a page share is `none`. */
export const dependencyOf = (name: string): Dependency => {
  const upper = name.toUpperCase()
  const colon = upper.indexOf(':')
  if (HEADER_KINDS.has(upper.slice(0, Math.max(colon, 0)))) {
    const header = upper.slice(colon + 1)
    if (header === 'AUTHORIZATION') return 'authorization'
    return header === 'COOKIE' ? 'cookie' : header === 'HOST' ? 'none' : 'header'
  }
  if (upper.startsWith('LA-')) return dependencyOf(upper.slice(5))
  if (upper.startsWith('RESP:') || upper === 'CONTENT_TYPE' || upper === 'REQUEST_STATUS')
    return 'response'
  if (upper === 'HTTP_COOKIE') return 'cookie'
  if (upper === 'HTTP_HOST') return 'none'
  if (upper.startsWith('HTTP_')) return 'header'
  if (upper.startsWith('REMOTE_USER') || upper === 'AUTH_TYPE') return 'authorization'
  if (upper.startsWith('REMOTE_') || upper === 'IPV6' || upper === 'CONN_REMOTE_ADDR')
    return 'address'
  if (upper.startsWith('TIME')) return 'time'
  if (upper === 'REQUEST_METHOD') return 'method'
  if (upper === 'QUERY_STRING') return 'query'
  return upper === 'THE_REQUEST' || upper === 'SERVER_PROTOCOL' || upper === 'HTTP2'
    ? 'header'
    : 'none'
}
