import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/**
 * Paths of the installed packages that the product needs at run time
 * (`node_modules/a`, `node_modules/a/node_modules/b`), and a hash of the lock file
 * they come from. Optional packages of other platforms are not installed and left
 * out.
 */
export const readProductionPackages = (checkout: string): { hash: string; packages: string[] } => {
  const text = readFileSync(join(checkout, 'package-lock.json'), 'utf8')
  const lock: unknown = JSON.parse(text)
  const entries = isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {}
  const packages = Object.entries(entries)
    .filter(
      ([path, entry]) =>
        path.startsWith('node_modules/') && isRecord(entry) && entry['dev'] !== true,
    )
    .map(([path]) => path)
    .filter((path) => existsSync(join(checkout, path)))
    .sort()
  const hash = createHash('sha256').update(`${process.arch}\n`).update(text)
  for (const path of packages) hash.update(`${path}\n`)
  return { hash: hash.digest('hex').slice(0, 16), packages }
}

/** Hash of names and contents of everything below the named entries of the checkout. */
export const hashSources = (checkout: string, entries: readonly string[], seed: string): string => {
  const hash = createHash('sha256').update(`${seed}\n`)
  const visit = (path: string): void => {
    for (const entry of readdirSync(join(checkout, path), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const child = join(path, entry.name)
      if (entry.isDirectory()) visit(child)
      else if (entry.isFile()) add(child)
    }
  }
  const add = (path: string): void => {
    const content = readFileSync(join(checkout, path))
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  for (const name of entries) {
    if (!existsSync(join(checkout, name))) continue
    if (name.includes('.')) add(name)
    else visit(name)
  }
  return hash.digest('hex').slice(0, 16)
}
