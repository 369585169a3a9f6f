import { createPanelWorker } from './create-panel-worker.ts'
import type { Env } from './env.ts'

const worker = createPanelWorker()

export default {
  fetch: (request, env) => worker.fetch(request, env),
  scheduled: (controller, env) => worker.scheduled(controller, env),
} satisfies ExportedHandler<Env>
