// `npm test [-- WHAT ... OPTIONS]`: everything, from a fresh clone too; `-- --help` tells the rest.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureBuild } from './build.mjs'
import { debianPackagesBeside } from './lanes/debian-packages-beside.mjs'
import { machineDisk } from './lanes/machine/make-disk.mjs'
import { ensurePackages } from './packages.mjs'
import { runTests } from './run-tests.mjs'
import { runStaticPhases, staticPhases } from './static-phases.mjs'
import { readTestOptions, USAGE } from './test-options.mjs'
import { describeEnd, describeTimes, silentSkips } from './test-report.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** @type {ReturnType<typeof readTestOptions>} */
let options
try {
  options = readTestOptions(root, process.argv.slice(2))
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
  process.exit(2)
}
if (options === 'help') {
  console.log(USAGE)
  process.exit(0)
}
const begunMs = Date.now()
const minutes = () => `${((Date.now() - begunMs) / 60_000).toFixed(1)} minutes`

/** What earlier runs left in the checkout besides packages. */
const forgetEarlierRuns = () => {
  for (const name of ['build', '.svelte-kit', '.cache'])
    rmSync(join(root, name), { recursive: true, force: true })
}

/** Where tests and tools keep what they made for the next run. */
const openKept = () => {
  const named = process.env.BERTH_TEST_CACHE
  const directory = options.fresh
    ? mkdtempSync('/var/tmp/berth-test-')
    : (named ?? join(root, '.cache/test'))
  mkdirSync(directory, { recursive: true, mode: 0o755 })
  // Accounts' own users run what lies there.
  chmodSync(directory, 0o755)
  if (options.fresh)
    process.on('exit', () =>
      rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
    )
  return directory
}
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.on(signal, () => process.exit(130))

if (options.fresh) forgetEarlierRuns()
const kept = openKept()
const inMachine =
  options.files.length === 0
    ? options.projects.includes('vm')
    : options.files.some((file) => file.startsWith('test/vm/'))
const debianPackages = debianPackagesBeside(kept, { machine: inMachine })
try {
  ensurePackages(root)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.log('0 passed, 1 failed, 0 skipped')
  process.exit(1)
}
// Whole runs build in their static phases; two files that find it stale would build at the same time.
if (options.files.some((file) => /^test\/(cli|e2e|install|ui|vm)\//.test(file))) ensureBuild(root)
console.log(`Set up in ${minutes()}.`)

const env = {
  BERTH_TEST_SEED: options.seed,
  ...(options.whole ? { BERTH_TEST_WHOLE: '1' } : {}),
  ...(options.name === undefined ? {} : { BERTH_TEST_NAME: options.name }),
}
let passed = 0
let failed = 0
let skipped = 0
if (options.files.length === 0) {
  const told = await runStaticPhases(staticPhases(root, join(kept, 'static')))
  passed += told.passed
  failed += told.failed.length
  console.log(`Static phases done after ${minutes()}.\n`)
  if (failed > 0) console.log(`FAILED: ${told.failed.join(', ')}`)
}
await debianPackages()
try {
  if (inMachine) machineDisk(kept)
} catch (error) {
  // Its tests say so, each.
  console.error(error instanceof Error ? error.message : error)
}
if (failed === 0 || options.all) {
  console.log(
    options.whole ? 'Slow matrices: whole.' : `Slow matrices: sampled, seed ${options.seed}.`,
  )
  const told = await runTests(root, { ...options, kept, env })
  passed += told.passed
  failed += told.failures.length
  skipped += told.skipped.length
  failed += silentSkips(told.skipped).length
  console.log(`\n${describeTimes(told.outcomes)}\n\n${describeEnd(told, options.seed)}`)
}
console.log(`\nTook ${minutes()}.`)
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
