import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * @typedef {{ version?: string, integrity?: string, resolved?: string, link?: boolean, license?: string,
 *   dev?: boolean, devOptional?: boolean, hasInstallScript?: boolean }} LockedPackage
 * @typedef {Partial<Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>>} Wanted
 */

/** Where the licences of what is shipped are listed, below the project's directory. */
const LICENSES_FILE = 'docs/licenses.md'

/** Packages that bring an install script, which is never run, and why they work without. */
const SCRIPTS_NOT_NEEDED = new Map([
  ['cpu-features', 'ssh2 chooses its ciphers without it'],
  ['esbuild', 'its binary is a package of its own'],
  ['ssh2', "its ciphers are Node's; the script only builds a faster variant"],
  ['workerd', 'its binary is a package of its own'],
])

/** Licences under which the product may carry a package along. */
const SHIPPABLE = new Set([
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC'],
  ...['MIT', 'MIT-0', 'OFL-1.1', 'Unlicense'],
])
/** Those of tools besides, which are not part of it. */
const FOR_TOOLS = new Set([...SHIPPABLE, 'LGPL-3.0-or-later', 'MPL-2.0'])

/** Packages whose package.json says it in an old form or not at all; read in the package. */
const SAID_ELSEWHERE = new Map([
  ['buildcheck', 'MIT'],
  ['busboy', 'MIT'],
  ['cpu-features', 'MIT'],
  ['humanize-number', 'MIT'],
  ['ssh2', 'MIT'],
  ['streamsearch', 'MIT'],
  ['svelte-toolbelt', 'MIT'],
])

/** @param {string} path */
const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

/** @param {LockedPackage} entry */
const isShipped = ({ dev, devOptional }) => dev !== true && devOptional !== true

/** @param {string} path @param {LockedPackage} entry */
const licenseOf = (path, entry) => entry.license ?? SAID_ELSEWHERE.get(nameOf(path)) ?? null

/**
 * Whether a licence is among `allowed`: of alternatives one, of several together each (SPDX).
 *
 * @param {string} license
 * @param {Set<string>} allowed
 */
const isAllowed = (license, allowed) =>
  license
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((one) => one.split(' AND ').every((part) => allowed.has(part)))

/**
 * What is wrong with a package of the lock.
 *
 * @param {string} path
 * @param {LockedPackage} entry
 * @returns {string[]}
 */
const problemsOf = (path, entry) => {
  const said = []
  if (entry.link === true) said.push('is a link; name a version')
  else if (!/^\d+\.\d+\.\d+/.test(entry.version ?? '')) said.push('has no version')
  else if (!/^sha512-[\w+/]{86}==$/.test(entry.integrity ?? '')) said.push('has no SHA-512')
  const { resolved } = entry
  if (resolved !== undefined && !resolved.startsWith('https://registry.npmjs.org/'))
    said.push(`comes from ${resolved}, not from the registry`)
  if (entry.hasInstallScript === true && !SCRIPTS_NOT_NEEDED.has(nameOf(path)))
    said.push(
      'wants to run a script when it is installed, which never happens; see whether it works without',
    )
  const license = licenseOf(path, entry)
  const allowed = isShipped(entry) ? SHIPPABLE : FOR_TOOLS
  if (license === null) said.push('names no licence')
  else if (!isAllowed(license, allowed)) said.push(`is under ${license}`)
  return said.map((text) => `${path} ${text}.`)
}

/**
 * The list of what is shipped, by name.
 *
 * @param {Record<string, LockedPackage>} packages
 */
export const licenseList = (packages) => {
  const lines = Object.entries(packages)
    .filter(([path, entry]) => path !== '' && isShipped(entry))
    .map(([path, entry]) => `- \`${nameOf(path)}\` ${entry.version}: ${licenseOf(path, entry)}`)
  return `# Licences

What Berth carries along besides its own code, from \`package-lock.json\`; \`node scripts/checks/check-lock.mjs --write\`
writes this list, and \`npm run check\` compares it.

${[...new Set(lines)].sort().join('\n')}
`
}

/**
 * What is wrong with a lock, that of `wanted` (a package.json): every package is pinned by
 * version and SHA-512, comes from the registry, needs no install script, and has a
 * licence that is known and allowed.
 *
 * @param {{ lockfileVersion?: number, packages: Record<string, LockedPackage & Wanted> }} lock
 * @param {Wanted} wanted
 * @returns {string[]}
 */
export const lockProblems = (lock, wanted) => {
  const root = lock.packages[''] ?? {}
  const said = lock.lockfileVersion === 3 ? [] : ['The lock is not of version 3.']
  for (const kind of /** @type {const} */ ([
    'dependencies',
    'devDependencies',
    'optionalDependencies',
  ]))
    if (JSON.stringify(root[kind] ?? {}) !== JSON.stringify(wanted[kind] ?? {}))
      said.push(`${kind} of package.json are others than those of the lock; run npm install.`)
  for (const [name, range] of Object.entries(wanted.dependencies ?? {}))
    if (!/^\d+\.\d+\.\d+$/.test(range)) said.push(`${name} is pinned to no version: ${range}.`)
  for (const [path, entry] of Object.entries(lock.packages))
    if (path !== '') said.push(...problemsOf(path, entry))
  return said
}

/**
 * Checks the project's lock and its list of licences; `write` writes the list first.
 *
 * @param {string} root
 * @param {{ write?: boolean }} [options]
 * @returns {string[]}
 */
export const checkLock = (root, { write = false } = {}) => {
  /** @param {string} name */
  const text = (name) => readFileSync(join(root, name), 'utf8')
  const lock = JSON.parse(text('package-lock.json'))
  const list = licenseList(lock.packages)
  if (write) writeFileSync(join(root, LICENSES_FILE), list)
  const said = lockProblems(lock, JSON.parse(text('package.json')))
  if (!/^ignore-scripts=true$/m.test(text('.npmrc')))
    said.push('.npmrc lacks ignore-scripts=true, so packages would run scripts.')
  if (!existsSync(join(root, LICENSES_FILE)) || text(LICENSES_FILE) !== list)
    said.push(
      `${LICENSES_FILE} is not of this lock; run: node scripts/checks/check-lock.mjs --write`,
    )
  return said
}

if (import.meta.filename === process.argv[1]) {
  const root = join(import.meta.dirname, '../..')
  const said = checkLock(root, { write: process.argv.includes('--write') })
  for (const line of said) console.error(line)
  process.exitCode = said.length === 0 ? 0 : 1
}
