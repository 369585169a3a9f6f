// `npm run edge`: what runs on Cloudflare, here in Miniflare; `npm run edge:host`: keys between that and a
// machine. Runs on any Node 20+ and without node_modules; everything after the bootstrap runs on the pinned Node.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuild } from '../build.mjs'
import { ensurePackages, pinnedNode } from '../packages.mjs'
import { runForwarding } from '../run-forwarding.mjs'

const isEnrolling = process.argv[2] === 'enrol-host'
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
try {
  ensurePackages(root)
  if (!isEnrolling) ensureBuild(root, { forWorker: true })
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
process.exit(
  await runForwarding(pinnedNode(root), [
    join(root, 'scripts/edge', isEnrolling ? 'enrol-host.ts' : 'serve-edge.ts'),
    ...process.argv.slice(isEnrolling ? 3 : 2),
  ]),
)
