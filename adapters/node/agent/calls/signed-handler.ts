import { z } from 'zod'
import { operationId } from '#adapters/shared/host-rpc/argument-shapes.ts'
import { mayBeAsked } from '#adapters/shared/host-rpc/host-role.ts'
import type { HostRole } from '#adapters/shared/host-rpc/host-role.ts'
import { PART_METHOD, readJoined } from '#adapters/shared/host-rpc/link/body-parts.ts'
import { LEASE_HEADER, writeLease } from '#adapters/shared/host-rpc/call-lease.ts'
import { HOST_METHODS } from '#adapters/shared/host-rpc/methods.ts'
import type { HostMethod } from '#adapters/shared/host-rpc/methods.ts'
import {
  CallRefused,
  OUTCOME_METHOD,
  SESSION_METHOD,
  verifyCall,
} from '#adapters/shared/host-rpc/signed-call.ts'
import type { CallClaims, CallRefusal } from '#adapters/shared/host-rpc/signed-call.ts'
import type { Log } from '#handlers/ports/log.ts'
import { readBytes } from '#handlers/read-bytes.ts'
import type { CallOutcomes } from './call-outcomes.ts'
import type { CallSessions } from './call-sessions.ts'
import { createJoinedBodies } from './joined-bodies.ts'
import { createLateAnswers } from './late-answers.ts'

/** Largest body of a signed call: as much as a piece of an upload needs, with its JSON around it. */
export const MAX_CALL_BYTES = 8 * 2 ** 20
/** No request may last longer than 25 s: what takes its time is asked for by `outcome`. */
const ANSWER_WITHIN_MS = 20_000

/** Why a body that came in parts is none. */
type PartRefusal = 'parts-missing' | 'no-room'

const refused = (status: number, refusal: CallRefusal | PartRefusal | 'oversized'): Response =>
  Response.json(
    { ok: false, error: `The host refuses the call: ${refusal}.`, status, field: null, refusal },
    { status },
  )

const METHODS = new Map<string, HostMethod>(
  Object.entries(HOST_METHODS).flatMap(([port, methods]) =>
    Object.entries(methods).map(([name, method]) => [`${port}/${name}`, method] as const),
  ),
)

const withOperation = z.object({ input: z.object({ operationId }) })
const askedOutcome = z.object({
  input: z.object({ call: z.string().regex(/^[0-9a-f]{32}$/) }),
})

/** The lease that was signed, for the handler; none where none is named. */
const leaseOf = ({ subject, term }: CallClaims): Record<string, string> =>
  subject === null || term === null ? {} : { [LEASE_HEADER]: writeLease({ subject, term }) }

const parsed = (body: Uint8Array<ArrayBuffer>): unknown => {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return null
  }
}

/** What signed calls are judged by. */
export interface SignedHandlerOptions {
  /** This host's id, at this moment. */
  host(): string
  /** Key of a panel (Ed25519, usage `verify`); null: it is not, or no more, one of ours. Asked at each call. */
  keyOf(panel: string): CryptoKey | null
  sessions: CallSessions
  outcomes: CallOutcomes
  /** What this machine is for at this moment, which bounds what it is asked. Default: `host`, so everything. */
  role?(): HostRole
  /** Why a call that is proved may not be run all the same, which is answered 409; asked before it is recorded. Default: it may. */
  admit?(claims: CallClaims, input: unknown): string | null
  /** Methods that are of the link itself, by name; they get the body as it was signed. */
  ownMethods?: Readonly<
    Record<string, (body: Uint8Array<ArrayBuffer>, claims: CallClaims) => Promise<Response>>
  >
  /** Answers what is proved, e.g. `createHostHandler`; it gets the body as it was signed. */
  handler(request: Request, claims: CallClaims): Promise<Response>
  log: Log
  /** Default 8 MiB. */
  maxBodyBytes?: number
  /** After which a call is answered 202 and goes on; default 20 s. */
  answerWithinMs?: number
}

/**
 * Lets signed calls through and nothing else: signature, host, method and body are proved
 * before a session is looked at, so that strangers change nothing here. What changes something
 * is recorded first, so that `outcome` can say what became of it. Refusals are 401 with
 * the reason as `refusal` (413 for `oversized`), logged without what was sent. A call that is not
 * done after 20 s is answered 202 (`{ok:true, running:true}`); `outcome` tells the rest. A body
 * that is too large for a call comes ahead in parts, each a signed call; where some are missing
 * by then the call is refused (503, `parts-missing`) and nothing of it is recorded.
 */
export const createSignedHandler = (
  options: SignedHandlerOptions,
): ((request: Request) => Promise<Response>) => {
  const { sessions, outcomes, log, role = () => 'host', ownMethods = {} } = options
  const answerWithinMs = options.answerWithinMs ?? ANSWER_WITHIN_MS
  const late = createLateAnswers()
  const bodies = createJoinedBodies()

  const proved = async (
    request: Request,
    claims: CallClaims,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<Response> => {
    if (claims.method === SESSION_METHOD)
      return Response.json({ ok: true, data: { session: sessions.open(claims.panel) } })
    sessions.take(claims)
    if (claims.method === OUTCOME_METHOD) {
      const asked = askedOutcome.safeParse(parsed(body))
      if (!asked.success) throw new CallRefused('malformed')
      const { call } = asked.data.input
      const answer = await late.of(`${claims.panel} ${call}`, answerWithinMs)
      if (answer === 'running') return Response.json({ ok: true, data: { state: 'running' } })
      if (answer !== null) return Response.json({ ok: true, data: { state: 'answered', answer } })
      return Response.json({ ok: true, data: await outcomes.outcome(call) })
    }
    if (claims.method === PART_METHOD)
      return bodies.take(claims.panel, body)
        ? Response.json({ ok: true, data: null })
        : refused(503, 'no-room')
    const own = Object.hasOwn(ownMethods, claims.method) ? ownMethods[claims.method] : undefined
    if (own !== undefined) return own(body, claims)
    if (!mayBeAsked(role(), claims.method)) throw new CallRefused('not-for-role')
    const joined = readJoined(body)
    const whole = joined === null ? body : await bodies.join(claims.panel, joined)
    if (whole === null) return refused(503, 'parts-missing')
    return inTime(claims, begun(request, claims, whole))
  }

  const inTime = async (claims: CallClaims, work: Promise<Response>): Promise<Response> =>
    (await late.answer(`${claims.panel} ${claims.call}`, answerWithinMs, work)) ??
    Response.json({ ok: true, running: true }, { status: 202 })

  const begun = async (
    request: Request,
    claims: CallClaims,
    body: Uint8Array<ArrayBuffer>,
  ): Promise<Response> => {
    const run = (): Promise<Response> =>
      options.handler(
        new Request(request.url, {
          method: request.method,
          headers: { 'content-type': 'application/json', ...leaseOf(claims) },
          ...(body.byteLength > 0 && { body }),
        }),
        claims,
      )
    const method = METHODS.get(claims.method)
    if (method?.kind !== 'change') return run()
    const input = parsed(body)
    const reason = options.admit?.(claims, input) ?? null
    if (reason !== null)
      return Response.json({ ok: false, error: reason, status: 409, field: null }, { status: 409 })
    const named = withOperation.safeParse(input)
    const response = await outcomes.run(
      {
        id: claims.call,
        method: claims.method,
        operationId: named.success ? named.data.input.operationId : null,
        isSecret: method.isSecret === true,
      },
      run,
    )
    if (response === null) throw new CallRefused('replayed')
    return response
  }

  return async (request) => {
    const method = new URL(request.url).pathname.slice(1)
    try {
      const body = await readBytes(request, options.maxBodyBytes ?? MAX_CALL_BYTES)
      if (body === null) return refused(413, 'oversized')
      const claims = await verifyCall(request.headers, {
        host: options.host(),
        method,
        body,
        keyOf: (panel) => options.keyOf(panel),
      })
      // While the signature was looked at the panel may have been removed.
      if (options.keyOf(claims.panel) === null) throw new CallRefused('unknown-panel')
      return await proved(request, claims, body)
    } catch (error) {
      if (!(error instanceof CallRefused)) throw error
      log.warn('a signed call was refused', { refusal: error.refusal })
      return refused(401, error.refusal)
    }
  }
}
