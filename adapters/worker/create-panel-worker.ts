import { AsyncLocalStorage } from 'node:async_hooks'
import { waitUntil } from 'cloudflare:workers'
import { createHostClient } from '#adapters/shared/host-rpc/host-client.ts'
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
    jwtSecret: env.JWT_SECRET,
    config: { homeBase: env.HOME_BASE ?? '/home', setupToken: env.SETUP_TOKEN ?? null },
  })
}

/** What the runtime calls. */
export interface PanelWorker {
  fetch(request: Request, env: Env): Promise<Response>
  scheduled(controller: ScheduledController, env: Env): Promise<void>
}

/** The panel's API on Cloudflare Workers: D1 for the store, one host by signed calls. */
export const createPanelWorker = (): PanelWorker => {
  let composed: Promise<PanelApp> | null = null

  /** The one app; after a failure (D1 away) the next request tries anew. */
  const panelOf = (env: Env): Promise<PanelApp> => {
    composed ??= compose(env).catch((error: unknown) => {
      composed = null
      throw error
    })
    return composed
  }

  return {
    async fetch(request, env) {
      const app = await panelOf(env)
      return app(request, {
        clientAddress: request.headers.get('cf-connecting-ip') ?? '0.0.0.0',
        secure: new URL(request.url).protocol === 'https:',
      })
    },
    async scheduled(_controller, env) {
      const app = await panelOf(env)
      await app.settleOpenOperations({ olderThanSecs: ABANDONED_AFTER_SECS })
      await app.sampleHost()
      await app.lookForTroubles()
    },
  }
}
