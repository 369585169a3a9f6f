import type { z } from 'zod'
import { AppError, diskFull, isAppError } from '#handlers/errors.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { Log } from '#handlers/ports/log.ts'
import { readLease } from './call-lease.ts'
import type { CallLease } from './call-lease.ts'
import { HOST_METHODS } from './methods.ts'

interface Endpoint {
  isChange: boolean
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
    for (const [method, { input: schema, kind }] of Object.entries(methods))
      endpoints.set(`/${port}/${method}`, {
        schema,
        isChange: kind === 'change',
        run: (input) => {
          const run = target[method]
          if (!run) throw new Error(`port ${port} has no method ${method}`)
          return run.call(target, input)
        },
      })
  }
  return endpoints
}

/** Says that a call came too late, and by which turn. */
const superseded = ({ subject, term }: CallLease, later: number): Response =>
  reply(409, {
    ok: false,
    error: `Another instance of the panel has ${subject} in its turn ${String(later)} by now, and this call is of turn ${String(term)}. Nothing was done. Look in the panel what became of it, then try again.`,
    status: 409,
    field: null,
    superseded: { term: later },
  })

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
 * make more of a failure, by what it knows of the machine. `overtaken` says by which higher term
 * a change comes too late (409 with `superseded`); null: it does not.
 */
export const createHostHandler = (
  ports: HostPorts,
  log: Log,
  explain: (error: unknown) => unknown = (error) => diskFull(error) ?? error,
  overtaken: (lease: CallLease) => number | null = () => null,
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
      const lease = endpoint.isChange ? readLease(request.headers) : null
      const later = lease === null ? null : overtaken(lease)
      if (lease !== null && later !== null) {
        log.warn('a change came too late', { method: pathname, ...lease, later })
        return superseded(lease, later)
      }
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
