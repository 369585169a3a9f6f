// `npm run edge`: what runs on Cloudflare, here in Miniflare. Runs on any Node 20+ and without
// node_modules; everything after the bootstrap runs on the pinned Node.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuild } from '../build.mjs'
import { ensurePackages, pinnedNode } from '../packages.mjs'
import { runForwarding } from '../run-forwarding.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
try {
  ensurePackages(root)
  ensureBuild(root, { forWorker: true })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
process.exit(
  await runForwarding(pinnedNode(root), [
    join(root, 'scripts/edge/serve-edge.ts'),
    ...process.argv.slice(2),
  ]),
)
