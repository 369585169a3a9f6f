import type { ValidateFunction } from 'ajv/dist/2020.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { OpenApiDocument, Operation } from '#handlers/panel/openapi/document-types.ts'
import { makeNodeApi } from '#test/node/contract/api-node.ts'
import type { MakeApiInstance } from './api-instance.ts'
import { adminClient } from './api-instance.ts'

/** What a path that the document does not know, or another method, may answer. */
const UNKNOWN = [401, 404, 405]
const FAILURE = '#/components/schemas/Failure'

let published: Promise<OpenApiDocument> | undefined

/** The document as `/api/openapi.json` publishes it. */
export const publishedDocument = (): Promise<OpenApiDocument> =>
  (published ??= (async () => {
    const api = await makeNodeApi()
    try {
      const { token } = await adminClient(api)
      const headers = { authorization: `Bearer ${token}` }
      const response = await api.fetch('/api/openapi.json', { headers })
      return (await response.json()) as OpenApiDocument
    } finally {
      await api.close()
    }
  })())

/** A part of a JSON pointer. */
const escaped = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1')

/** One exchange with the API, as far as it is checked. */
export interface Exchange {
  method: string
  /** With query. */
  path: string
  requestBody?: string
  response: Response
}

/**
 * Holds exchanges against the document: throws for an undocumented path, method,
 * status, header or media type, for a field that its schema does not have, and
 * for a request body that was accepted though the document refuses it.
 */
export const createOpenApiCheck = (document: OpenApiDocument) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema(document, 'openapi', undefined, false)
  const validators = new Map<string, ValidateFunction>()
  const validate = (pointer: string, value: unknown): string | null => {
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `openapi${pointer}` })
    validators.set(pointer, known)
    if (known(value)) return null
    return `${ajv.errorsText(known.errors)} ${JSON.stringify(known.errors?.map((one) => one.params))}`
  }

  const templates = Object.keys(document.paths)
    .map((path) => ({
      path,
      pattern: new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
      parameters: path.split('{').length,
    }))
    .sort((a, b) => a.parameters - b.parameters)

  const find = (method: string, pathname: string) => {
    for (const { path, pattern } of templates) {
      const operation = pattern.test(pathname) ? document.paths[path]?.[method] : undefined
      if (operation) return { operation, pointer: `#/paths/${escaped(path)}/${method}` }
    }
    return null
  }

  const problemOf = async (
    found: { operation: Operation; pointer: string } | null,
    { method, requestBody, response }: Exchange,
  ): Promise<string | null> => {
    const { status, headers } = response
    const type = headers.get('content-type')?.split(';')[0] ?? ''
    const isHead = method === 'HEAD'
    if (found === null) {
      if (!UNKNOWN.includes(status)) return 'is not documented'
      return isHead ? null : validate(FAILURE, await response.json())
    }
    const { operation, pointer } = found
    const answer = operation.responses[status]
    if (answer === undefined) return 'has an undocumented status'
    if (answer.content[type] === undefined) return `has the undocumented media type ${type}`
    const missing = Object.keys(answer.headers ?? {}).filter((name) => !headers.has(name))
    if (missing.length > 0) return `lacks the documented header ${missing.join(', ')}`
    const json = 'content/application~1json/schema'
    if (status === 200 && requestBody && operation.requestBody?.content['application/json']) {
      const problem = validate(`${pointer}/requestBody/${json}`, JSON.parse(requestBody))
      if (problem !== null) return `accepted a body that the document refuses: ${problem}`
    }
    if (isHead || type !== 'application/json') return null
    return validate(`${pointer}/responses/${status}/${json}`, await response.json())
  }

  return async (exchange: Exchange): Promise<void> => {
    const method = exchange.method === 'HEAD' ? 'get' : exchange.method.toLowerCase()
    const { pathname } = new URL(exchange.path, 'http://panel.example')
    const problem = await problemOf(find(method, pathname), exchange)
    if (problem === null) return
    const { status } = exchange.response
    throw new Error(
      `${exchange.method} ${exchange.path} (${status}) against the document: ${problem}`,
    )
  }
}

const isJson = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/json') === true

/** The same instances with every answer held against the published document. */
export const checkedAgainstDocument =
  (makeInstance: MakeApiInstance): MakeApiInstance =>
  async () => {
    const check = createOpenApiCheck(await publishedDocument())
    const instance = await makeInstance()
    return {
      ...instance,
      async fetch(path, init, clientAddress, origin) {
        const response = await instance.fetch(path, init, clientAddress, origin)
        await check({
          method: init?.method ?? 'GET',
          path,
          ...(typeof init?.body === 'string' ? { requestBody: init.body } : {}),
          // Streams and downloads are the test's to read.
          response: isJson(response) ? response.clone() : new Response(null, response),
        })
        return response
      },
    }
  }
