// `npm test [-- PROJECT ...]`: everything, from a fresh clone too.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  ensureDebianPackages,
  ensurePackageLists,
  HOSTING_PACKAGES,
  TEST_PACKAGES,
} from './debian-packages.mjs'
import { ensurePackages } from './packages.mjs'
import { PROJECTS, runPhases } from './phases.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const known = PROJECTS.map(([name = '']) => name)
const chosen = process.argv.slice(2)
const unknown = chosen.filter((name) => !known.includes(name))
if (unknown.length > 0) {
  console.error(`No such tests: ${unknown.join(', ')}. There are: ${known.join(', ')}.`)
  process.exit(2)
}
const begun = Date.now()
try {
  ensurePackages(root)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  console.log('0 passed, 1 failed')
  process.exit(1)
}
ensurePackageLists() // tests unpack WordPress from its package
ensureDebianPackages([...HOSTING_PACKAGES, ...TEST_PACKAGES])

const { passed, failed } = await runPhases(root, chosen.length > 0 ? chosen : known)
console.log(`\nTook ${((Date.now() - begun) / 1000).toFixed(0)} s.`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
