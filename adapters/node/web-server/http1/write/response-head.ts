import { STATUS_CODES } from 'node:http'
import { HOP_BY_HOP } from '../../../messages/hop-by-hop.ts'
import { fieldsOf } from '../../../messages/quick-headers.ts'
import { wholeBodyOf } from '../../../messages/quick-response.ts'

/** How a response's body is delimited. */
export interface ResponsePlan {
  status: number
  reason: string
  /** End-to-end fields in order. */
  fields: [string, string][]
  /** Promised body length; null when unknown. */
  lengthBytes: number | null
  /** Whether a body is sent at all. */
  hasBody: boolean
}

const parseLength = (text: string | null): number | null => {
  if (text === null || !/^\d{1,15}$/.test(text)) return null
  return Number(text)
}

/** Plans how `response` is sent as the response to `method`. A Date field is added where missing. */
export const planResponse = (
  response: Response,
  method: string,
  httpDate: string,
): ResponsePlan => {
  const { status, headers } = response
  const bodyless = status === 204 || status === 304 || status < 200
  const declared = parseLength(headers.get('content-length'))
  const fields: [string, string][] = []
  for (const [name, value] of fieldsOf(headers)) {
    if (!HOP_BY_HOP.has(name) && name !== 'content-length') fields.push([name, value])
  }
  if (!headers.has('date')) fields.push(['date', httpDate])
  const isNull = wholeBodyOf(response) === null && response.body === null
  const hasBody = !bodyless && method !== 'HEAD' && !isNull
  const empty = !bodyless && method !== 'HEAD' && isNull
  const lengthBytes = bodyless ? null : empty ? 0 : declared
  if (lengthBytes !== null) fields.push(['content-length', String(lengthBytes)])
  return { status, reason: STATUS_CODES[status] ?? 'Unknown', fields, lengthBytes, hasBody }
}
