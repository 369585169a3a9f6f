import { z } from 'zod'
import { AppError, unavailable } from '#handlers/errors.ts'
import type { FailureStatus } from '#handlers/errors.ts'
import type { HostPorts } from '#handlers/ports/host/host.ts'
import type { Ambient } from '#handlers/ports/judge.ts'
import type { Turn } from '#handlers/ports/turn.ts'
import { LEASE_HEADER, MAX_TERM, writeLease } from './call-lease.ts'
import type { HostMethod } from './methods.ts'
import { HOST_METHODS } from './methods.ts'

const FAILURES: readonly number[] = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 503]
const isFailureStatus = (status: number): status is FailureStatus => FAILURES.includes(status)

const responseSchema = z.union([
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error: z.string().max(16_384),
    status: z.number(),
    field: z.string().max(1024).nullish(),
    superseded: z.object({ term: z.int().nonnegative().max(MAX_TERM) }).optional(),
  }),
])

/** A fault inside the host agent: its cause is in the agent's log, not in the response. */
export class HostFault extends Error {
  constructor(method: string, detail: string, cause?: unknown) {
    super(`The host agent failed at ${method}: ${detail}`, { cause })
    this.name = 'HostFault'
  }
}

/** Segments of paths that cannot be the host's own words: names of keys in the shapes here, and positions. */
const PLAIN_SEGMENT = /^[A-Za-z_]\w{0,40}$/

/**
 * 503: the host answered something that its method cannot answer, or about somebody else. It
 * says which method and what is wrong, never what was answered.
 */
export class WrongAnswer extends AppError {
  readonly method: string

  constructor(method: string, problem: string) {
    super(
      503,
      `What the host answered to ${method} cannot be used: ${problem}. Panel and host may be of different versions; look into the log of the agent.`,
    )
    this.method = method
  }
}

const problemOf = (error: z.ZodError): string => {
  const issue = error.issues[0]
  const place = (issue?.path ?? [])
    .map((segment) =>
      typeof segment === 'number' || PLAIN_SEGMENT.test(String(segment)) ? String(segment) : '*',
    )
    .join('.')
  return `${place || 'the answer'}: ${issue?.code ?? 'is not valid'}`
}

/** What was answered, without keys that the method does not have. */
const checked = (name: string, method: HostMethod, data: unknown, input: unknown): unknown => {
  const answer = method.output.safeParse(data)
  if (!answer.success) throw new WrongAnswer(name, problemOf(answer.error))
  if (method.isAbout && !method.isAbout(answer.data, input))
    throw new WrongAnswer(name, 'it is about something else than was asked for')
  return answer.data
}

const BROKEN_OFF =
  'The host agent broke off its answer. It is probably being restarted; try again in a moment.'

/** The body of the response, as long as it comes within the time of the method; else 503. */
const bodyOf = async (
  send: (request: Request) => Promise<Response>,
  name: string,
  limitSecs: number,
  input: unknown,
  turn: Turn | null,
): Promise<unknown> => {
  const tooLate = unavailable(
    `The host did not answer ${name} within ${String(limitSecs)} seconds. What it was asked for may still happen; look before trying again.`,
  )
  const abort = new AbortController()
  const timer = setTimeout(() => abort.abort(tooLate), limitSecs * 1000)
  const late = new Promise<never>((_, reject) =>
    abort.signal.addEventListener('abort', () => reject(tooLate), { once: true }),
  )
  const answered = async (): Promise<unknown> => {
    const response = await send(
      new Request(`http://agent/${name}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(turn !== null && { [LEASE_HEADER]: writeLease(turn) }),
        },
        body: input === undefined ? '{}' : JSON.stringify({ input }),
        signal: abort.signal,
      }),
    )
    try {
      return await response.json()
    } catch (error) {
      throw unavailable(BROKEN_OFF, error)
    }
  }
  try {
    return await Promise.race([answered(), late])
  } finally {
    clearTimeout(timer)
  }
}

const call = async (
  send: (request: Request) => Promise<Response>,
  name: string,
  method: HostMethod,
  input: unknown,
  turn: Turn | null,
  isRaised = false,
): Promise<unknown> => {
  const answer = responseSchema.safeParse(await bodyOf(send, name, method.limitSecs, input, turn))
  if (!answer.success) throw new WrongAnswer(name, 'it is no answer at all')
  if (answer.data.ok) return checked(name, method, answer.data.data, input)
  const { status, error, field, superseded } = answer.data
  if (superseded !== undefined && turn !== null) {
    // Throws unless the turn is ours all the same: then the records are older than what the host has seen.
    await turn.raise(superseded.term)
    if (!isRaised) return call(send, name, method, input, turn, true)
    throw unavailable(error)
  }
  if (!isFailureStatus(status)) throw new HostFault(name, error)
  throw new AppError(status, error, typeof field === 'string' ? { field } : {})
}

/**
 * The host's ports, spoken to over `send` (`POST /<port>/<method>`, body
 * `{"input":…}`). An expected failure arrives as the `AppError` it was, an answer that
 * its method cannot give as a `WrongAnswer`, a fault of the agent as a `HostFault`.
 * What changes something says in whose turn it is asked for, as `turns` has it (default: in none);
 * when somebody else has it by now the host does nothing, and the failure is a 503.
 */
export const createHostClient = (
  send: (request: Request) => Promise<Response>,
  turns?: Pick<Ambient<Turn | null>, 'getStore'>,
): HostPorts => {
  const ports: Record<string, Record<string, unknown>> = {}
  for (const [port, methods] of Object.entries(HOST_METHODS)) {
    const made: Record<string, (input?: unknown) => Promise<unknown>> = {}
    for (const [name, method] of Object.entries(methods))
      made[name] = (input) =>
        call(
          ...([send, `${port}/${name}`, method, input] as const),
          method.kind === 'change' ? (turns?.getStore() ?? null) : null,
        )
    ports[port] = made
  }
  // The tables' types guarantee that every method of HostPorts was made above, and what it answers.
  return ports as unknown as HostPorts
}
