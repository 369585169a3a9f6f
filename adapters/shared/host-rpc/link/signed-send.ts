import { z } from 'zod'
import { randomId } from '#handlers/domain/access/random-id.ts'
import { AppError, unavailable } from '#handlers/errors.ts'
import { readLease } from '../call-lease.ts'
import type { CallLease } from '../call-lease.ts'
import { HOST_METHODS } from '../methods.ts'
import { MAX_JOINED_BYTES, PART_BYTES, PART_METHOD, writeJoined, writePart } from './body-parts.ts'
import { OUTCOME_METHOD, SESSION_METHOD, sha256Hex, signCall } from '../signed-call.ts'

/** A host that could not be connected to at all: nothing of the call reached it. */
export class HostAway extends AppError {
  constructor(host: string, cause?: unknown) {
    super(503, `The host ${host} cannot be reached. Look whether it runs, then try again.`, {
      cause,
    })
  }
}

/** A connection that broke after something of a request may have arrived. */
export class ConnectionBroken extends AppError {
  constructor(host: string, cause?: unknown) {
    super(503, `The connection to the host ${host} broke before it answered.`, { cause })
  }
}

/** By whom and to whom calls are signed. */
export interface SignedSendOptions {
  host: string
  panel: string
  /** Ed25519, usage `sign`. */
  key: CryptoKey
  /** Sends one request to the host's link; throws `HostAway` where it cannot be connected to. */
  send(request: Request): Promise<Response>
  /**
   * Where the session is kept for other senders to the same host: there one is made for each
   * call, since none may wait for what another one began. Default: this sender's alone.
   */
  session?: { id: string | null }
  /** Between two questions for an outcome while the host cannot be reached; default 2 s. */
  pauseMs?: number
}

/** Longest answer of the link's own methods. */
const MAX_CHARS = 96 * 2 ** 20
const PAUSE_MS = 2000
const RUNNING_PAUSE_MS = 100

const sessionSchema = z.object({
  ok: z.literal(true),
  data: z.object({ session: z.string().regex(/^[0-9a-f]{32}$/) }),
})
const refusedSchema = z.object({ ok: z.literal(false), refusal: z.string().max(100) })
const outcomeSchema = z.object({
  ok: z.literal(true),
  data: z.discriminatedUnion('state', [
    z.object({ state: z.literal('running') }),
    z.object({
      state: z.literal('answered'),
      answer: z
        .object({ status: z.int().min(200).max(599), body: z.string().max(MAX_CHARS) })
        .nullable(),
    }),
    z.object({ state: z.literal('cut-off'), operationId: z.string().max(1024).nullable() }),
    z.object({ state: z.literal('unseen') }),
  ]),
})

const KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries(HOST_METHODS).flatMap(([port, methods]) =>
    Object.entries(methods).map(([name, { kind }]) => [`${port}/${name}`, kind] as const),
  ),
)

const json = async (response: Response): Promise<unknown> => {
  try {
    return await response.json()
  } catch {
    return null
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

/**
 * Signs what `createHostClient` asks of a host on another machine. A session is got when there is none,
 * and anew when the host knows it no more. An answer that takes long, or was lost with its connection,
 * is asked for until the request is aborted; what only reads is asked anew instead. Nothing that changes
 * something is sent twice, but where the host said that it never came.
 */
export const createSignedSend = (
  options: SignedSendOptions,
): ((request: Request) => Promise<Response>) => {
  const { host, panel, key, send } = options
  const pauseMs = options.pauseMs ?? PAUSE_MS
  const kept = options.session ?? { id: null }
  let session: Promise<string> | null = kept.id === null ? null : Promise.resolve(kept.id)

  const post = async (
    method: string,
    call: string,
    inSession: string | null,
    body: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
    lease: CallLease | null = null,
  ): Promise<Response> => {
    const { subject, term } = lease ?? { subject: null, term: null }
    const headers = await signCall(
      key,
      { host, panel, session: inSession, call, method, subject, term },
      body,
    )
    return send(
      new Request(`https://${host}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        signal,
      }),
    )
  }
  /** Why the host did not look at the call; null: it did. */
  const refusalOf = async (response: Response): Promise<string | null> => {
    if (response.status !== 401) return null
    const said = refusedSchema.safeParse(await json(response.clone()))
    return said.success ? said.data.refusal : null
  }
  const opened = async (signal: AbortSignal): Promise<string> => {
    const response = await post(SESSION_METHOD, randomId(), null, new Uint8Array(), signal)
    const refusal = await refusalOf(response)
    if (refusal !== null) throw refused(refusal)
    const answer = sessionSchema.safeParse(await json(response))
    if (!answer.success) throw unavailable(`The host ${host} answers, but gives no session.`)
    return (kept.id = answer.data.data.session)
  }
  const refused = (refusal: string): AppError =>
    unavailable(
      `The host ${host} does not take calls of this panel (${refusal}). Look at "berth agent" on that machine.`,
    )
  const current = (signal: AbortSignal): Promise<string> => {
    const made = (session ??= opened(signal).catch((error: unknown) => {
      // Nothing of the call itself was sent then.
      throw error instanceof ConnectionBroken ? new HostAway(host, error) : error
    }))
    made.catch(() => {
      if (session === made) session = null
    })
    return made
  }
  /** Sends it in a session; a session that ended is replaced once, for the call was not looked at then. */
  const asked = async (
    method: string,
    call: string,
    body: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
    lease: CallLease | null = null,
  ): Promise<Response> => {
    const used = current(signal)
    const response = await post(method, call, await used, body, signal, lease)
    const refusal = await refusalOf(response)
    if (refusal === null) return response
    if (refusal !== 'stale-session') throw refused(refusal)
    if (session === used) session = null
    if (kept.id === (await used)) kept.id = null
    const again = await post(method, call, await current(signal), body, signal, lease)
    const reason = await refusalOf(again)
    if (reason !== null) throw refused(reason)
    return again
  }

  /** The answer of a call that was begun; null: it never came, and will not be run. */
  const outcome = async (call: string, signal: AbortSignal): Promise<Response | null> => {
    const body = new TextEncoder().encode(JSON.stringify({ input: { call } }))
    for (;;) {
      signal.throwIfAborted()
      let answer: unknown
      try {
        answer = await json(await asked(OUTCOME_METHOD, randomId(), new Uint8Array(body), signal))
      } catch (error) {
        if (!(error instanceof HostAway || error instanceof ConnectionBroken)) throw error
        // Away for the moment: the answer waits there.
        await pause(pauseMs, signal)
        continue
      }
      const told = outcomeSchema.safeParse(answer)
      if (!told.success) throw unavailable(`The host ${host} does not say what became of a call.`)
      const { data } = told.data
      if (data.state === 'running') {
        // A host waits before it says so; one that does not must not keep this panel busy.
        await pause(RUNNING_PAUSE_MS, signal)
        continue
      }
      if (data.state === 'unseen') return null
      if (data.state === 'answered' && data.answer !== null)
        return new Response(data.answer.body, { status: data.answer.status })
      throw unavailable(
        data.state === 'answered'
          ? `The host ${host} has done it, but its answer was lost on the way.`
          : `The agent of the host ${host} was restarted while it worked. Look what became of it before trying again.`,
      )
    }
  }

  /** Sends a large body ahead; answers what stands in its place in the call. */
  const inParts = async (
    whole: Uint8Array<ArrayBuffer>,
    signal: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>> => {
    const id = randomId()
    const sizeBytes = whole.byteLength
    for (let number = 0; number * PART_BYTES < sizeBytes; number++) {
      const bytes = whole.subarray(number * PART_BYTES, (number + 1) * PART_BYTES)
      const part = writePart({ id, number, bytes })
      const send = (): Promise<Response> => asked(PART_METHOD, randomId(), part, signal)
      const response = await send().catch((error: unknown) => {
        if (signal.aborted || !(error instanceof ConnectionBroken)) throw error
        // One that came all the same does no harm.
        return send()
      })
      if (response.status !== 200)
        throw unavailable(
          `The host ${host} has no room for what is sent to it at present. Nothing was done there; try again in a moment.`,
        )
    }
    return writeJoined({ id, sizeBytes, sha256: await sha256Hex(whole) })
  }

  return async (request) => {
    const method = new URL(request.url).pathname.slice(1)
    const body = new Uint8Array(await request.arrayBuffer())
    const { signal } = request
    const lease = readLease(request.headers)
    if (body.byteLength > MAX_JOINED_BYTES)
      throw new AppError(413, `What is to go to the host ${host} is larger than 96 MiB.`)
    const mayRepeat = KINDS.get(method) !== 'change'
    for (let attempt = 1; ; attempt++) {
      const call = randomId()
      let response: Response | null
      try {
        const sent = body.byteLength > PART_BYTES ? await inParts(body, signal) : body
        response = await asked(method, call, sent, signal, lease)
        if (response.status === 202) response = await outcome(call, signal)
      } catch (error) {
        if (signal.aborted || !(error instanceof ConnectionBroken)) throw error
        response = mayRepeat ? null : await outcome(call, signal)
      }
      if (response !== null) return response
      if (attempt === 2)
        throw unavailable(`The connection to the host ${host} broke twice. Nothing was done there.`)
    }
  }
}
