import type { FailureStatus } from '../../errors.ts'
import type { Described, Route } from '../frame/route.ts'
import { isStrict } from '../frame/route.ts'
import type { Answer, Content, JsonSchema, Operation, Parameter } from './document-types.ts'
import type { SchemaBook } from './schema-book.ts'

/** Where the failures' schema is in the document. */
const FAILURE = { $ref: '#/components/schemas/Failure' }

const ADMINISTRATORS = 'For administrators only.'

/** `GET /api/domains/account/:id` becomes `getDomainsAccountById`. */
const operationId = ({ method, path }: Route): string => {
  const words = path
    .replace(/^\/api/, '')
    .split(/[/_.-]/)
    .filter(Boolean)
    .map((word) => {
      const name = word.replace(/^:/, '').replace(/\W/g, '')
      return `${word.startsWith(':') ? 'By' : ''}${name.charAt(0).toUpperCase()}${name.slice(1)}`
    })
  return method.toLowerCase() + words.join('')
}

const PREFER: Parameter = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    'respond-async (RFC 7240): answers at once with job_id and the header Preference-Applied; the work goes on as a job.',
  schema: { type: 'string', examples: ['respond-async'] },
}

const parametersOf = (route: Route, book: SchemaBook): Parameter[] => [
  ...fieldsOf(route, book),
  ...(!route.open && route.job ? [PREFER] : []),
]

const fieldsOf = (route: Route, book: SchemaBook): Parameter[] =>
  (['path', 'query'] as const).flatMap((place) => {
    const fields = place === 'path' ? route.params : route.query
    if (fields === undefined) return []
    const { properties = {}, required = [] } = book.input(fields)
    return Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
    }))
  })

const json = (schema: JsonSchema): Content => ({ 'application/json': { schema } })
const bytes = ({ mediaTypes }: Described): Content =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema: {} }]))

const envelope = (data: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { ok: { const: true }, data },
  required: ['ok', 'data'],
  additionalProperties: false,
})

/** Data of the answer to `Prefer: respond-async`. */
const JOB_STARTED: JsonSchema = {
  type: 'object',
  properties: { job_id: { type: 'string' } },
  required: ['job_id'],
  additionalProperties: false,
}

const dataOf = (route: Route, book: SchemaBook): JsonSchema => {
  const data = route.data === undefined ? { type: 'null' } : book.output(route.data)
  return !route.open && route.job ? { anyOf: [data, JOB_STARTED] } : data
}

const success = (route: Route, book: SchemaBook): Answer => {
  const data = dataOf(route, book)
  const headers = Object.entries(route.headers ?? {}).map(
    ([name, description]) => [name, { description, schema: { type: 'string' } }] as const,
  )
  return {
    description: route.raw?.description ?? 'Success.',
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    content: route.raw ? bytes(route.raw) : json(envelope(data)),
  }
}

/** What goes wrong everywhere; a route's own texts stand before these. */
const commonFailures = (route: Route): Partial<Record<FailureStatus | 500, string>> => {
  const changes = route.method !== 'GET' || (!route.open && route.changesState === true)
  const hasBody = route.body !== undefined || route.rawBody !== undefined
  const hasInput =
    isStrict(route) || hasBody || route.params !== undefined || route.query !== undefined
  const role = !route.open && route.action === 'system' ? 'The caller is no administrator' : null
  const page =
    !route.open && changes ? 'only a cookie vouches for a request of a foreign page' : null
  const scope = route.open
    ? null
    : route.ownSession === true
      ? 'an API token, or an administrator who works as an account, asks'
      : 'the scopes of the API token do not cover it'
  const forbidden = [role, page, scope].filter((reason) => reason !== null).join(', or ')
  return {
    ...(hasInput ? { 400: 'Something in the request is missing or not valid.' } : {}),
    ...(route.open ? {} : { 401: 'No valid token.' }),
    ...(forbidden === ''
      ? {}
      : { 403: `${forbidden.charAt(0).toUpperCase()}${forbidden.slice(1)}.` }),
    ...(hasBody ? { 413: 'The body is too large.', 415: 'The body has another media type.' } : {}),
    ...(!route.open && route.job ? { 429: 'Too many jobs of the caller are open.' } : {}),
    500: 'A fault of the panel; its log has the cause.',
  }
}

const failures = (route: Route): Record<string, Answer> => {
  const common: Readonly<Record<string, string>> = commonFailures(route)
  const own: Readonly<Record<string, string>> = route.errors ?? {}
  const statuses = [...new Set([...Object.keys(common), ...Object.keys(own)])].sort()
  return Object.fromEntries(
    statuses.map((status) => {
      const texts = [own[status], common[status]].filter((text) => text !== undefined)
      return [status, { description: texts.join(' '), content: json(FAILURE) }]
    }),
  )
}

const requestBody = (route: Route, book: SchemaBook): Operation['requestBody'] => {
  if (route.rawBody) {
    const { description } = route.rawBody
    return { description, required: true, content: bytes(route.rawBody) }
  }
  if (route.body === undefined) return undefined
  const schema = book.input(route.body)
  return {
    required: route.bodyOptional !== true,
    content: json(isStrict(route) ? { ...schema, additionalProperties: false } : schema),
  }
}

const securityOf = (route: Route): Operation['security'] => {
  if (!route.open) return undefined
  return route.open === 'no-token' ? [] : [{}, { bearer: [] }, { cookie: [] }]
}

/** A route as an operation of the document. */
export const operationOf = (route: Route, book: SchemaBook): Operation => {
  const parameters = parametersOf(route, book)
  const body = requestBody(route, book)
  const security = securityOf(route)
  const description = [
    route.description,
    !route.open && route.action === 'system' ? ADMINISTRATORS : undefined,
  ]
    .filter((text) => text !== undefined)
    .join(' ')
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(description === '' ? {} : { description }),
    ...(security === undefined ? {} : { security }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      '200': success(route, book),
      ...(route.partial && route.raw
        ? { '206': { description: 'The part that Range asks for.', content: bytes(route.raw) } }
        : {}),
      ...failures(route),
    },
  }
}
