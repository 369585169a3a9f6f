import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pinnedNode } from './packages.mjs'

/** What the build of the UI is made of; of our other folders it takes types alone. */
const INPUTS = [
  'src',
  'static',
  'svelte.config.js',
  'vite.config.ts',
  'scripts/ui-chunks.ts',
  'tsconfig.svelte.json',
  'package-lock.json',
]

/**
 * @param {string} root
 * @returns {string}
 */
const hashInputs = (root) => {
  const hash = createHash('sha256')
  const visit = (/** @type {string} */ path) => {
    const full = join(root, path)
    if (!existsSync(full)) return
    if (statSync(full).isDirectory())
      for (const name of readdirSync(full).sort()) visit(join(path, name))
    else hash.update(`${path}\0`).update(readFileSync(full))
  }
  INPUTS.forEach(visit)
  return hash.digest('hex')
}

const stampFile = (/** @type {string} */ root) => join(root, '.cache', 'build.sha256')

/** What a Worker with the UI is bundled of; it is not part of an installed copy. */
const FOR_WORKER = join('.svelte-kit', 'output', 'server', 'manifest.js')

/** @param {string} root */
export const isBuildStale = (root) => {
  if (!existsSync(join(root, 'build', 'handler.js'))) return true
  const stamp = stampFile(root)
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== hashInputs(root)
}

const writeStamp = (/** @type {string} */ root, /** @type {string} */ hash) => {
  mkdirSync(join(root, '.cache'), { recursive: true })
  writeFileSync(stampFile(root), hash)
}

/** Takes the build that is there for that of the present sources, as an archive with a build does. @param {string} root */
export const markBuilt = (root) => writeStamp(root, hashInputs(root))

/**
 * Builds the UI when its sources changed since the last build.
 *
 * @param {string} root
 * @param {{ quiet?: boolean, forWorker?: boolean }} [options] quiet: output only when it fails;
 *   forWorker: what a Worker is bundled of is to be there too
 */
export const ensureBuild = (root, options = {}) => {
  const isWhole = options.forWorker !== true || existsSync(join(root, FOR_WORKER))
  if (isWhole && !isBuildStale(root)) return
  if (!options.quiet) console.log('Building the panel ...')
  const begun = Date.now()
  const built = hashInputs(root)
  const result = spawnSync(
    pinnedNode(root),
    [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'],
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' },
  )
  if (result.status !== 0)
    throw new Error(`The panel could not be built:\n${result.stdout ?? ''}${result.stderr ?? ''}`)
  writeStamp(root, built)
  if (!options.quiet) console.log(`Built in ${((Date.now() - begun) / 1000).toFixed(1)} s.`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    ensureBuild(dirname(import.meta.dirname), { quiet: true, forWorker: true })
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
