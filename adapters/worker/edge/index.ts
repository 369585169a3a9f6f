import { createEdgeWorker } from './create-edge-worker.ts'
import type { EdgeEnv } from './env.ts'

export { PageMarks } from './marks/page-marks.ts'

const worker = createEdgeWorker()

export default {
  fetch: (request, env) => worker.fetch(request, env),
} satisfies ExportedHandler<EdgeEnv>
