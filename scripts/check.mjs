// `npm run check`: the quick part of the tests.
import { mkdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensurePackages } from './packages.mjs'
import { runTests } from './run-tests.mjs'
import { runStaticPhases, staticPhases } from './static-phases.mjs'
import { describeEnd } from './test-report.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const begunMs = Date.now()
const kept = process.env.BERTH_TEST_CACHE ?? join(root, '.cache/test')
mkdirSync(kept, { recursive: true, mode: 0o755 })
ensurePackages(root)
const phases = staticPhases(root, join(kept, 'static')).map((list) =>
  list.filter(({ name }) => name !== 'build'),
)
const read = await runStaticPhases(phases)
const told = await runTests(root, {
  kept,
  lanes: cpus().length,
  env: {},
  projects: ['unit'],
  files: [],
  all: true,
})
console.log(describeEnd(told, '1'))
const failed = read.failed.length + told.failures.length
if (read.failed.length > 0) console.log(`FAILED: ${read.failed.join(', ')}`)
console.log(`\nTook ${((Date.now() - begunMs) / 1000).toFixed(0)} s.`)
console.log(`${read.passed + told.passed} passed, ${failed} failed, ${told.skipped.length} skipped`)
process.exit(failed === 0 ? 0 : 1)
