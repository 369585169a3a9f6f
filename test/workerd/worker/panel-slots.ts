import { createPanelWorker, type PanelWorker } from '#adapters/worker/create-panel-worker.ts'
import type { Env } from '#adapters/worker/env.ts'

/** Header that names the panel that a request is for; nobody but the tests' own code sends it. */
const SLOT = 'x-test-slot'

type SlotsEnv = Pick<Env, 'JWT_SECRET'> & Record<string, unknown>

const panels = new Map<string, PanelWorker>()

/** Several panels in one isolate, each with a database and a host of its own. */
export default {
  async fetch(request: Request, env: SlotsEnv): Promise<Response> {
    const slot = request.headers.get(SLOT) ?? ''
    const panel = panels.get(slot) ?? createPanelWorker()
    panels.set(slot, panel)
    const headers = new Headers(request.headers)
    headers.delete(SLOT)
    return panel.fetch(new Request(request, { headers }), {
      JWT_SECRET: env.JWT_SECRET,
      DB: env[`DB_${slot}`] as Env['DB'],
      HOST: env[`HOST_${slot}`] as Fetcher,
    })
  },
}
