import type { z } from 'zod'
import { AppError, diskFull, isAppError } from '#handlers/errors.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { Log } from '#handlers/ports/log.ts'
import { HOST_METHODS } from './methods.ts'

interface Endpoint {
  schema: z.ZodType
  run(input: unknown): Promise<unknown>
}

const FAULT = 'The host agent met an unexpected error. Its cause is in the agent log.'

const reply = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  })

const failure = (error: AppError): Response =>
  reply(
    error.status,
    { ok: false, error: error.message, status: error.status, field: error.field ?? null },
    error.headers,
  )

const endpointsOf = (ports: HostPorts): Map<string, Endpoint> => {
  const endpoints = new Map<string, Endpoint>()
  for (const [port, methods] of Object.entries(HOST_METHODS)) {
    const target = ports[port as keyof HostPorts] as unknown as Record<
      string,
      (input: unknown) => Promise<unknown>
    >
    for (const [method, { input: schema }] of Object.entries(methods))
      endpoints.set(`/${port}/${method}`, {
        schema,
        run: (input) => {
          const run = target[method]
          if (!run) throw new Error(`port ${port} has no method ${method}`)
          return run.call(target, input)
        },
      })
  }
  return endpoints
}

const inputOf = async (request: Request): Promise<unknown> => {
  let body: unknown
  try {
    body = await request.json()
  } catch (error) {
    throw new AppError(400, 'The request body is not JSON.', { cause: error })
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError(400, 'The request body must be an object with the key "input".')
  return (body as { input?: unknown }).input
}

const validated = (schema: z.ZodType, input: unknown): unknown => {
  const parsed = schema.safeParse(input)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const field = issue?.path.map(String).join('.') || 'input'
  throw new AppError(400, `${field}: ${issue?.message ?? 'is not valid'}`, { field })
}

/**
 * Serves the host's ports to `createHostClient`. Every argument is checked
 * against the method table before a port sees it; unknown methods are 404,
 * other verbs 405. Expected failures keep status, text and field; anything else
 * is logged with its cause and answered as a 500 with a fixed text. `explain` may
 * make more of a failure, by what it knows of the machine.
 */
export const createHostHandler = (
  ports: HostPorts,
  log: Log,
  explain: (error: unknown) => unknown = (error) => diskFull(error) ?? error,
): ((request: Request) => Promise<Response>) => {
  const endpoints = endpointsOf(ports)
  return async (request) => {
    const { pathname } = new URL(request.url)
    try {
      const endpoint = endpoints.get(pathname)
      if (!endpoint) throw new AppError(404, 'The host agent has no such method.')
      if (request.method !== 'POST')
        throw new AppError(405, 'Use POST.', { headers: { allow: 'POST' } })
      const input = validated(endpoint.schema, await inputOf(request))
      return reply(200, { ok: true, data: (await endpoint.run(input)) ?? null })
    } catch (error) {
      if (!isAppError(error))
        log.error('host method failed', { method: pathname, error: describe(error) })
      const told = explain(error)
      if (isAppError(told)) return failure(told)
      return reply(500, { ok: false, error: FAULT, status: 500, field: null })
    }
  }
}

/** Stack and causes, for the log only. */
const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by ${describe(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}
