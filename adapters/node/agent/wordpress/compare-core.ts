import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { WordpressIntegrity } from '#handlers/ports/host/wordpress/wordpress-care.ts'

const MAX_LISTED = 200
const MAX_DEPTH = 40
/** What a site has of its own beside the core. */
const OWN = new Set(['wp-config.php', '.htaccess'])
/** Folders where WordPress keeps nothing but its own. */
const CORE_FOLDERS = ['wp-admin', 'wp-includes']

const md5 = async (path: string): Promise<string> =>
  createHash('md5')
    .update(await readFile(path))
    .digest('hex')

const filesBelow = async (root: string, below: string, depth = 0): Promise<string[]> => {
  if (depth > MAX_DEPTH) return []
  const found: string[] = []
  for (const name of await readdir(join(root, below))) {
    const path = `${below}/${name}`
    const facts = await stat(join(root, path)).catch(() => null)
    if (facts?.isDirectory() === true) found.push(...(await filesBelow(root, path, depth + 1)))
    else if (facts?.isFile() === true) found.push(path)
  }
  return found
}

/** What the core of a source is made of: its two folders, and the scripts beside them. */
export const coreNames = async (root: string): Promise<string[]> => {
  const beside: string[] = []
  for (const name of await readdir(root)) {
    if (!name.endsWith('.php') || OWN.has(name)) continue
    if ((await stat(join(root, name)).catch(() => null))?.isFile() === true) beside.push(name)
  }
  return [...CORE_FOLDERS, ...beside]
}

/** Files of the core of a source, relative to it. */
const coreOf = async (root: string): Promise<string[]> => {
  const beside = (await coreNames(root)).filter((name) => !CORE_FOLDERS.includes(name))
  const inFolders = await Promise.all(CORE_FOLDERS.map((folder) => filesBelow(root, folder)))
  return [...beside, ...inFolders.flat()]
}

/**
 * What of a site is not as the sums of its version tell. Both by paths; MD5 is as good against
 * mistakes and intruders as that which packages come with.
 */
export const compareSums = (
  sums: ReadonlyMap<string, string>,
  found: ReadonlyMap<string, string>,
): WordpressIntegrity => {
  const changed: string[] = []
  const missing: string[] = []
  for (const [path, wanted] of sums) {
    const sum = found.get(path)
    if (sum === undefined) missing.push(path)
    else if (sum !== wanted) changed.push(path)
  }
  const added = [...found.keys()].filter((path) => !sums.has(path) && !OWN.has(path))
  const lists = [changed, missing, added]
  const [shownChanged = [], shownMissing = [], shownAdded = []] = lists.map((list) =>
    list.sort().slice(0, MAX_LISTED),
  )
  return {
    checked: sums.size,
    ...{ changed: shownChanged, missing: shownMissing, added: shownAdded },
    cut: lists.some((list) => list.length > MAX_LISTED),
  }
}

/** The same with the tree of a source. */
export const compareCore = async (
  source: string,
  found: ReadonlyMap<string, string>,
): Promise<WordpressIntegrity> => {
  const sums = new Map<string, string>()
  for (const path of await coreOf(source)) sums.set(path, await md5(join(source, path)))
  return compareSums(sums, found)
}

const deviations = ({ changed, missing, added }: WordpressIntegrity): number =>
  changed.length + missing.length + added.length

/** The same with several sources of one version, which packagers may have changed: what is said of the one that is nearest. */
export const compareCores = async (
  sources: readonly string[],
  found: ReadonlyMap<string, string>,
): Promise<WordpressIntegrity> => {
  let nearest: WordpressIntegrity | null = null
  for (const source of sources) {
    const one = await compareCore(source, found)
    if (nearest === null || deviations(one) < deviations(nearest)) nearest = one
  }
  if (nearest === null) throw new Error('there is nothing to compare with')
  return nearest
}
