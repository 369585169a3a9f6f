import { createPanelWorker } from '../create-panel-worker.ts'
import { createUi } from './create-ui.ts'
import type { UiEnv } from './create-ui.ts'

const worker = createPanelWorker(createUi())

export default {
  fetch: (request, env) => worker.fetch(request, env),
  scheduled: (controller, env) => worker.scheduled(controller, env),
} satisfies ExportedHandler<UiEnv>
