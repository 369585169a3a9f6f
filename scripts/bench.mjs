// `npm run bench [-- OPTIONS]`: Berth beside nginx and Varnish, from a fresh clone too.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  BENCH_PACKAGES,
  ensureDebianPackages,
  ensurePackageLists,
  HOSTING_PACKAGES,
} from './debian-packages.mjs'
import { ensureBuild } from './build.mjs'
import { ensurePackages, pinnedNode } from './packages.mjs'
import { runForwarding } from './run-forwarding.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const [first, ...rest] = process.argv.slice(2)
/** What is measured: the inputs of docs/capacity.md, or Berth beside others. */
const program = first === 'capacity' ? 'bench/capacity.ts' : 'bench/run.ts'
const options = first === 'capacity' || first === undefined ? rest : [first, ...rest]
const measures = !options.some((option) => option === '--list' || option === '--help')
try {
  ensurePackages(root)
  if (measures) ensureBuild(root) // whole instances serve the panel's screens
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(2)
}
if (measures) {
  ensurePackageLists() // WordPress is unpacked from its package
  if (!ensureDebianPackages([...HOSTING_PACKAGES, ...BENCH_PACKAGES])) process.exit(2)
}
process.exit(await runForwarding(pinnedNode(root), [join(root, program), ...options]))
