import { closeSync, constants, fstatSync, openSync, readdirSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { join } from 'node:path'
import { extensionsOf, isSlug } from '#handlers/domain/wordpress/extensions-of.ts'
import { HEAD_BYTES } from '#handlers/domain/wordpress/wordpress-version.ts'
import { isAppError } from '#handlers/errors.ts'
import type { PlacedPackage } from '#handlers/ports/host/wordpress/wordpress-extensions.ts'
import { createEntryRules } from '../../../archives/entry-rules.ts'
import { textOf } from '../../../archives/tar-reader.ts'
import { readZip } from '../../../archives/zip-reader.ts'

/** What is known of an archive, with what it takes when it is unpacked. */
export interface ReadPackage extends PlacedPackage {
  bytes: number
}

const MAX_PACKAGES = 500
const LIMITS = { maxEntries: 20_000, maxBytes: 2 ** 30 }
/** Heads that are read of one archive. */
const MAX_HEADS = 200
const BLOCK_BYTES = 4096
/** What packers of another system leave in archives. */
const PASSED_OVER = '__MACOSX'

const refusal = (why: string): Error => new Error(why)

const headOf = async (content: AsyncIterable<Buffer>): Promise<string> => {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of content) {
    parts.push(part)
    bytes += part.length
    if (bytes >= HEAD_BYTES) break
  }
  return Buffer.concat(parts).subarray(0, HEAD_BYTES).toString('utf8')
}

/** Names of an archive and the heads of what may tell what it is, none of it unpacked further. */
const lookInto = async (fd: number) => {
  const rules = createEntryRules('/package')
  const tops = new Map<string, boolean>()
  const beside = new Map<string, Set<string>>()
  const heads = new Map<string, string>()
  let bytes = 0
  await readZip(fd, LIMITS, async (entry, content) => {
    const problem = entry.name === '' ? null : rules.problem(entry)
    if (problem !== null) throw refusal(problem)
    if (entry.type === 'symlink') throw refusal('it holds a link')
    if (entry.type === 'other') throw refusal('it holds what is no file')
    const name = textOf(entry.name)
    const [top = '', second, ...deeper] = name.split('/')
    if (top === '' || top === PASSED_OVER) return
    const isFile = entry.type === 'file'
    bytes += Math.ceil((entry.sizeBytes + 1) / BLOCK_BYTES) * BLOCK_BYTES
    tops.set(top, isFile && second === undefined)
    if (second !== undefined && deeper.length === 0 && isFile)
      beside.set(top, (beside.get(top) ?? new Set()).add(second))
    if (!isFile || deeper.length > 0 || heads.size >= MAX_HEADS) return
    if (name.endsWith('.php') || second === 'style.css') heads.set(name, await headOf(content))
  })
  return { tops, beside, heads, bytes }
}

const look = async (fd: number): Promise<Omit<ReadPackage, 'file'>> => {
  const { tops, beside, heads, bytes } = await lookInto(fd)
  const [top, more] = tops.keys()
  if (top === undefined) throw refusal('it is empty')
  if (more !== undefined || !isSlug(top)) throw refusal('it must hold one folder, or one file')
  const inOrder = (names: Iterable<string>, isFile: boolean) =>
    [...names].sort().map((name) => ({ name, isFile }))
  const found = (directory: string) =>
    extensionsOf({
      entries: (path) =>
        path === directory
          ? [{ name: top, isFile: tops.get(top) === true }]
          : inOrder(beside.get(path.slice(directory.length + 1)) ?? [], true),
      head: (path) => heads.get(path.slice(directory.length + 1)) ?? null,
    })
  const [theme] = found('wp-content/themes').themes
  const [plugin] = found('wp-content/plugins').plugins
  const [kind, one] = theme === undefined ? ['plugin' as const, plugin] : ['theme' as const, theme]
  if (one === undefined) throw refusal('it is neither a plugin nor a theme')
  if (one.version === null) throw refusal('it does not tell its version')
  const holds = { kind, slug: one.slug, name: one.name, version: one.version }
  return { holds, problem: null, bytes }
}

/** Opens a regular file; null where there is none. */
export const openPackage = (file: string): { fd: number; facts: Stats } | null => {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const facts = fstatSync(fd)
    if (facts.isFile()) return { fd, facts }
    closeSync(fd)
  } catch {
    // Gone, or not to be read.
  }
  return null
}

const namesIn = (place: string): string[] => {
  try {
    return readdirSync(place).sort()
  } catch {
    return []
  }
}

/** Reads the archives (`*.zip`) at the configured places; those that stay the same are read once. */
export const createReadPackages = (places: readonly string[]): (() => Promise<ReadPackage[]>) => {
  let known = new Map<string, ReadPackage>()
  const read = async (file: string, now: Map<string, ReadPackage>): Promise<void> => {
    const opened = openPackage(file)
    if (opened === null) return
    const { fd, facts } = opened
    const key = [file, facts.ino, facts.size, facts.mtimeMs, facts.ctimeMs].join('\0')
    try {
      const told = known.get(key) ?? { file, ...(await look(fd)) }
      now.set(key, told)
    } catch (error) {
      const isSaid = isAppError(error) || error instanceof Error
      const problem = isSaid ? error.message.slice(0, 300) : 'it cannot be read'
      now.set(key, { file, holds: null, problem, bytes: 0 })
    } finally {
      closeSync(fd)
    }
  }
  return async () => {
    const now = new Map<string, ReadPackage>()
    const files = places.flatMap((place) =>
      namesIn(place).flatMap((name) => (name.endsWith('.zip') ? [join(place, name)] : [])),
    )
    for (const file of files.slice(0, MAX_PACKAGES)) await read(file, now)
    known = now
    return [...now.values()]
  }
}
