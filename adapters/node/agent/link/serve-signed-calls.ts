import { join } from 'node:path'
import { z } from 'zod'
import { username } from '#adapters/shared/host-rpc/argument-shapes.ts'
import { CALL_HEADER, SIGNATURE_HEADER } from '#adapters/shared/host-rpc/signed-call.ts'
import type { CallClaims } from '#adapters/shared/host-rpc/signed-call.ts'
import type { PathsConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import { linkDirectory } from '../../layout/link-directory.ts'
import { readProofOfJoining } from '../../link-trust/join.ts'
import { watchTrust } from '../../link-trust/watched-trust.ts'
import { createCallOutcomes } from '../calls/call-outcomes.ts'
import { createCallSessions } from '../calls/call-sessions.ts'
import { createSignedHandler, MAX_CALL_BYTES } from '../calls/signed-handler.ts'
import { serveFetch } from '../fetch-server.ts'
import type { FetchServer } from '../fetch-server.ts'
import type { OpenRegistry } from '../registry/registry.ts'
import { holdKeys } from './held-keys.ts'
import { BRAKED_METHOD, createRemovalBrake } from './removal-brake.ts'
import { createTrustTaker } from './take-trust.ts'
import { createCertificateChanger } from './change-certificate.ts'

const MAX_HELD_BYTES = 64 * 2 ** 20
const MAX_CONNECTIONS = 64
const LOOK_MS = 1000

/** Signed calls as an agent serves them. */
export interface SignedCallsOptions {
  paths: Pick<PathsConfig, 'state_dir' | 'run_dir'>
  /** Of the user of the link; null: one user does it all. */
  reader: { gid: number } | null
  registry: Pick<OpenRegistry, 'calls' | 'removals' | 'records'>
  /** Answers what is proved. */
  handler(request: Request): Promise<Response>
  log: Log
  /** See `SignedHandlerOptions.answerWithinMs`. */
  answerWithinMs?: number
}

const removed = z.object({ input: z.object({ username }) })

/**
 * Serves `agent-link.sock` (group of the link's user), where each call must be signed by a panel of
 * the trust list; whoever holds the socket, the link itself included, can only pass such calls on or
 * not. There is no socket while nobody is trusted, and no second reading of what is trusted than the file.
 */
export const serveSignedCalls = async (options: SignedCallsOptions): Promise<FetchServer> => {
  const { paths, registry, log, reader } = options
  const directory = linkDirectory(paths)
  const watched = watchTrust(directory, log)
  const sessions = createCallSessions()
  const outcomes = createCallOutcomes(registry.calls)
  const trust = createTrustTaker(directory, watched, reader)
  const keys = holdKeys(watched, (panel) => sessions.forget(panel))
  const brake = createRemovalBrake({
    removals: registry.removals,
    accounts: registry.records,
    allowFile: join(paths.state_dir, 'agent', 'allow-removals'),
  })

  const admit = (claims: CallClaims, input: unknown): string | null => {
    if (claims.method !== BRAKED_METHOD) return null
    const asked = removed.safeParse(input)
    return asked.success ? brake(asked.data.input.username) : null
  }
  /** What tells a panel that this is the machine which was given its token. */
  const joined = async (): Promise<Response> =>
    Response.json({ ok: true, data: readProofOfJoining(directory) })
  const certificate = createCertificateChanger(directory, watched, reader)
  // One for all calls: an answer that came late is asked for by another call.
  const handler = createSignedHandler({
    host: () => watched.now()?.list.host ?? '',
    role: () => watched.now()?.list.role ?? 'front',
    keyOf: (panel) => keys.keyOf(panel),
    ownMethods: { trust: (body) => trust.take(body), joined, certificate },
    ...{ sessions, outcomes, admit, log, handler: options.handler },
    ...(options.answerWithinMs === undefined ? {} : { answerWithinMs: options.answerWithinMs }),
  })

  let server: FetchServer | null = null
  const open = async (): Promise<void> => {
    server = await serveFetch({
      path: join(paths.run_dir, 'agent-link.sock'),
      gid: reader?.gid ?? null,
      handler,
      maxBodyBytes: MAX_CALL_BYTES,
      maxHeldBytes: MAX_HELD_BYTES,
      maxConnections: MAX_CONNECTIONS,
      headers: [CALL_HEADER, SIGNATURE_HEADER],
      log,
    })
  }
  let changing = Promise.resolve()
  const look = (): void => {
    changing = changing
      .then(async () => {
        const isTrusting = watched.now() !== null
        if (isTrusting && server === null) await open()
        if (isTrusting || server === null) return
        const ended = server
        server = null
        await ended.close(0)
      })
      .catch((error: unknown) =>
        log.error('the socket of the link was not opened or closed', { error: String(error) }),
      )
  }
  look()
  await changing
  const looking = setInterval(look, LOOK_MS)
  return {
    async close(graceMs) {
      clearInterval(looking)
      await changing
      await server?.close(graceMs)
    },
  }
}
