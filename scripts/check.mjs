// `npm run check`: the quick part of the tests.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensurePackages } from './packages.mjs'
import { runPhases } from './phases.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
ensurePackages(root)
const { passed, failed } = await runPhases(root, ['unit'], ['build'])
console.log(`\n${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
