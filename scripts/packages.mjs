import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The pinned Node of this checkout, an optional package that npm picks for the machine. */
export const pinnedNode = (/** @type {string} */ root) =>
  join(root, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node')

/** @typedef {{ version?: string, dev?: boolean, optional?: boolean, devOptional?: boolean, link?: boolean }} LockEntry */

/**
 * @param {string} text
 * @returns {Record<string, LockEntry>}
 */
const entriesOf = (text) => JSON.parse(text).packages ?? {}

/**
 * Whether node_modules lacks what package-lock.json names. npm writes its own
 * list of what it installed as the last thing, so an interrupted install shows.
 *
 * @param {string} root
 * @param {{ withoutDev?: boolean }} [options] withoutDev: those for building and testing may lack
 */
export const isInstallStale = (root, { withoutDev = false } = {}) => {
  const installed = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(installed) || !existsSync(pinnedNode(root))) return true
  const present = entriesOf(readFileSync(installed, 'utf8'))
  const wanted = entriesOf(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(wanted).some(([path, entry]) => {
    if (path === '' || (withoutDev && entry.dev)) return false
    const found = present[path]
    if (found === undefined) return !(entry.optional || entry.devOptional)
    return found.version !== entry.version
  })
}

/**
 * The packages of a lock that npm wrote whose versions are others than those of the lock before.
 * Optional ones that were not in it do not count: they are builds of a locked package for other
 * platforms, whose versions that package names, and which of them a registry lists changes.
 *
 * @param {string} before text of the lock
 * @param {string} after text of the lock that npm wrote
 * @returns {string[]} their places in node_modules
 */
export const otherVersions = (before, after) => {
  const was = entriesOf(before)
  return Object.entries(entriesOf(after))
    .filter(([path, entry]) => {
      if (path === '') return false
      const known = was[path]
      return known === undefined ? entry.optional !== true : known.version !== entry.version
    })
    .map(([path]) => path)
}

/**
 * Installs the locked packages when they are missing. `npm install`, not
 * `npm ci`, which calls a lock file out of sync when a registry lacks packages of
 * other platforms; that the versions stayed the locked ones is checked here.
 *
 * @param {string} root
 * @param {{ withoutDev?: boolean }} [options] withoutDev: a build is there, those for making it are not needed
 */
export const ensurePackages = (root, options = {}) => {
  if (!isInstallStale(root, options)) return
  console.log('Installing the packages named in package-lock.json (npm install) ...')
  const lockFile = join(root, 'package-lock.json')
  const before = readFileSync(lockFile, 'utf8')
  const npm = process.env.npm_execpath
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  // NODE_ENV=production, or what somebody wrote into their .npmrc, leaves out packages and the lock.
  args.push('--package-lock', '--include=optional')
  args.push(options.withoutDev ? '--omit=dev' : '--include=dev')
  const result = npm?.endsWith('.js')
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd: root, stdio: 'inherit' })
  const after = readFileSync(lockFile, 'utf8')
  if (after !== before) {
    // Other npm versions write other details; only other versions would be another product.
    writeFileSync(lockFile, before)
    const changed = otherVersions(before, after)
    if (changed.length > 0)
      throw new Error(
        `npm installed other versions than package-lock.json names (${changed.slice(0, 5).join(', ')}). Remove node_modules and try again.`,
      )
  }
  if (result.status !== 0)
    throw new Error('The packages could not be installed; the reason stands above. Try again.')
  if (!existsSync(pinnedNode(root)))
    throw new Error(
      `There is no pinned Node for this machine (linux-${process.arch}). Supported: linux on x64 and arm64.`,
    )
}
