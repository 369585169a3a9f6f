import { z } from 'zod'
import { AppError, unavailable } from '#handlers/errors.ts'
import type { FailureStatus } from '#handlers/errors.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import { HOST_METHODS } from './methods.ts'

const FAILURES: readonly number[] = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 503]
const isFailureStatus = (status: number): status is FailureStatus => FAILURES.includes(status)

const responseSchema = z.union([
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error: z.string(),
    status: z.number(),
    field: z.string().nullish(),
  }),
])

/** A fault inside the host agent: its cause is in the agent's log, not in the response. */
export class HostFault extends Error {
  constructor(method: string, detail: string, cause?: unknown) {
    super(`The host agent failed at ${method}: ${detail}`, { cause })
    this.name = 'HostFault'
  }
}

const call = async (
  send: (request: Request) => Promise<Response>,
  method: string,
  input: unknown,
): Promise<unknown> => {
  const response = await send(
    new Request(`http://agent/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: input === undefined ? '{}' : JSON.stringify({ input }),
    }),
  )
  let body: unknown
  try {
    body = await response.json()
  } catch (error) {
    throw unavailable(
      'The host agent broke off its answer. It is probably being restarted; try again in a moment.',
      error,
    )
  }
  const answer = responseSchema.safeParse(body)
  if (!answer.success) throw new HostFault(method, 'the answer has an unknown shape', answer.error)
  if (answer.data.ok) return answer.data.data
  const { status, error, field } = answer.data
  if (!isFailureStatus(status)) throw new HostFault(method, error)
  throw new AppError(status, error, typeof field === 'string' ? { field } : {})
}

/**
 * The host's ports, spoken to over `send` (`POST /<port>/<method>`, body
 * `{"input":…}`). An expected failure arrives as the `AppError` it was; anything
 * else is a `HostFault`.
 */
export const createHostClient = (send: (request: Request) => Promise<Response>): HostPorts => {
  const ports: Record<string, Record<string, unknown>> = {}
  for (const [port, methods] of Object.entries(HOST_METHODS)) {
    const made: Record<string, (input?: unknown) => Promise<unknown>> = {}
    for (const method of Object.keys(methods))
      made[method] = (input) => call(send, `${port}/${method}`, input)
    ports[port] = made
  }
  // The table's type guarantees that every method of HostPorts was made above.
  return ports as unknown as HostPorts
}
