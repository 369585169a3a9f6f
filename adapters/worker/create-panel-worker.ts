import { AsyncLocalStorage } from 'node:async_hooks'
import { waitUntil } from 'cloudflare:workers'
import { createHostClient } from '#adapters/shared/host-rpc/host-client.ts'
import { isApiPath } from '#adapters/shared/panel-http/api-path.ts'
import { publishPanel } from '#adapters/shared/panel-http/publish-panel.ts'
import { API_HEADERS, securityHeaders } from '#adapters/shared/panel-http/security-headers.ts'
import { createKyselyStore } from '#adapters/shared/store/kysely-store.ts'
import { createPanelApp } from '#handlers/panel/app.ts'
import type { PanelApp } from '#handlers/panel/deps.ts'
import { communityLicense } from '#handlers/services/host/community-license.ts'
import { createD1Batch } from './d1-batch.ts'
import { createD1Dialect } from './d1-dialect.ts'
import type { Env } from './env.ts'
import { createHostSend } from './host-send.ts'
import { createPbkdf2Passwords } from './pbkdf2-passwords.ts'
import { createWorkerLog } from './worker-log.ts'

/** A request takes seconds at most; an operation older than this was abandoned by its isolate. */
const ABANDONED_AFTER_SECS = 600

const compose = async (env: Env): Promise<PanelApp> => {
  const log = createWorkerLog()
  return createPanelApp({
    store: await createKyselyStore(createD1Dialect(env.DB), createD1Batch(env.DB)),
    host: createHostClient(createHostSend(env)),
    passwords: createPbkdf2Passwords(),
    clock: { nowMs: () => Date.now() },
    license: communityLicense,
    log,
    background: {
      run: (name, work) =>
        waitUntil(work().catch((error: unknown) => log.error(name, { error: String(error) }))),
    },
    judges: new AsyncLocalStorage(),
    storePlace: () => Promise.resolve({ kind: 'd1', version: null, place: 'D1' }),
    jwtSecret: env.JWT_SECRET,
    config: { homeBase: env.HOME_BASE ?? '/home', setupToken: env.SETUP_TOKEN ?? null },
  })
}

/** What the runtime calls. */
export interface PanelWorker<E extends Env = Env> {
  fetch(request: Request, env: E): Promise<Response>
  scheduled(controller: ScheduledController, env: E): Promise<void>
}

/** Answers everything but the API. */
export type WorkerUi<E extends Env> = (
  request: Request,
  env: E,
  clientAddress: string,
) => Promise<Response>

/** `response` with the headers that it lacks; what another one answered, such as assets, cannot be changed. */
const guarded = (response: Response, headers: Readonly<Record<string, string>>): Response => {
  const own = new Response(response.body, response)
  for (const [name, value] of Object.entries(headers))
    if (!own.headers.has(name)) own.headers.set(name, value)
  return own
}

/**
 * The panel on Cloudflare Workers: D1 for the store, one host by signed calls.
 *
 * @param ui default: there is none, and every path is the API's
 */
export const createPanelWorker = <E extends Env = Env>(ui?: WorkerUi<E>): PanelWorker<E> => {
  let composed: Promise<PanelApp> | null = null

  /** The one app; after a failure (D1 away) the next request tries anew. */
  const panelOf = (env: Env): Promise<PanelApp> => {
    if (composed !== null) return composed
    const made = compose(env).then((app) => {
      if (ui !== undefined) publishPanel(app, env.SETUP_TOKEN !== undefined)
      return app
    })
    made.catch(() => (composed = null))
    // Else it would never settle, for nobody, when the client of the first request leaves.
    waitUntil(made.catch(() => undefined))
    composed = made
    return made
  }

  return {
    async fetch(request, env) {
      const app = await panelOf(env)
      const clientAddress = request.headers.get('cf-connecting-ip') ?? '0.0.0.0'
      const { protocol, pathname } = new URL(request.url)
      const secure = protocol === 'https:'
      if (ui !== undefined && !isApiPath(pathname))
        return guarded(await ui(request, env, clientAddress), securityHeaders(secure))
      const answer = await app(request, { clientAddress, secure })
      return guarded(answer, { ...securityHeaders(secure), ...API_HEADERS })
    },
    async scheduled(_controller, env) {
      const app = await panelOf(env)
      await app.settleOpenOperations({ olderThanSecs: ABANDONED_AFTER_SECS })
      await app.sampleHost()
      await app.lookForTroubles()
    },
  }
}
