import { lstat, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { readSumFile } from '#handlers/domain/wordpress/read-sum-file.ts'
import { isAppError } from '#handlers/errors.ts'
import { administratorsPlace } from '../archives/administrators-place.ts'
import { CoreError } from './core-error.ts'
import { archiveNamed, coreName, dropCore, storeCore, storedCores } from './core-store.ts'
import type { StoredCore } from './core-store.ts'

const MAX_ARCHIVES = 50
const MAX_SUM_BYTES = 64 * 1024

/** An archive in a configured folder that is not taken. */
export interface RefusedCore {
  /** Absolute. */
  file: string
  problem: string
}

/** The sum that stands beside an archive, in `<name>.sha256`; null where there is no such file. */
export const sumBeside = async (file: string): Promise<string | null> => {
  const beside = `${file}.sha256`
  const facts = await lstat(beside).catch(() => null)
  if (facts === null) return null
  const isFile = facts.isFile() && facts.size <= MAX_SUM_BYTES
  const sum = isFile ? readSumFile(await readFile(beside, 'utf8'), basename(file)) : null
  if (sum !== null) return sum
  throw new CoreError(`${beside} tells no SHA-256 of it`)
}

/** Tells a file from what it was before, the sum beside it included. */
const keyOf = async (file: string): Promise<string> => {
  const beside = await lstat(`${file}.sha256`, { bigint: true }).catch(() => null)
  const { dev, ino, size, mtimeNs, ctimeNs } = await lstat(file, { bigint: true })
  return [dev, ino, size, mtimeNs, ctimeNs, beside?.ino ?? 0, beside?.ctimeNs ?? 0].join('-')
}

const archivesIn = async (place: string): Promise<string[]> =>
  (await readdir(place).catch(() => []))
    .filter((name) => archiveNamed(name) !== null)
    .sort()
    .map((name) => join(place, name))

const problemOf = (error: unknown): string => {
  if (error instanceof CoreError || isAppError(error)) return error.message.slice(0, 500)
  if (error instanceof Error && 'code' in error) return `it cannot be read (${error.code})`
  throw error
}

/** Takes one archive, or answers why not; nothing to do where the same one is there already. */
const take = async (
  { file, key }: { file: string; key: string },
  directory: string,
): Promise<string | null> => {
  try {
    const real = await administratorsPlace(file)
    if (real.kind !== 'file') return 'it is no file'
    const expected = archiveNamed(basename(file))
    const there = (await storedCores(directory)).find(
      ({ name }) => expected !== null && name === coreName(expected),
    )
    if (there !== undefined)
      return `WordPress ${there.name} is there already, from ${there.file}. Keep one of them`
    const sha256 = await sumBeside(file)
    await storeCore(
      {
        file: real.path,
        from: file,
        origin: 'archive',
        sha256,
        key,
        ...(expected && { expected }),
      },
      directory,
    )
    return null
  } catch (error) {
    return problemOf(error)
  }
}

/**
 * Brings what is stored in `directory` to what lies in the configured folders
 * (`wordpress-<version>[-<language>].zip` or `.tar.gz`, root's alone): new archives are unpacked,
 * those of files that are gone or changed are dropped. `known` remembers over several calls what
 * is refused, which is then not read again.
 */
export const takePlacedCores = async (
  places: readonly string[],
  directory: string,
  known: Map<string, string>,
): Promise<{ cores: StoredCore[]; refused: RefusedCore[] }> => {
  const files = (await Promise.all(places.map(archivesIn))).flat().slice(0, MAX_ARCHIVES)
  const placed: { file: string; key: string }[] = []
  for (const file of files) {
    const key = await keyOf(file).catch(() => null)
    if (key !== null) placed.push({ file, key })
  }
  const keys = new Set(placed.map(({ key }) => key))
  let stored = await storedCores(directory)
  for (const core of stored)
    if (core.key !== null && !keys.has(core.key)) await dropCore(core, directory)
  stored = stored.filter(({ key }) => key === null || keys.has(key))
  const names = stored.map(({ name }) => name).join(' ')
  const refused: RefusedCore[] = []
  const fresh = new Map<string, string>()
  for (const one of placed) {
    if (stored.some(({ key }) => key === one.key)) continue
    // What was in the way may be gone.
    const memory = `${one.key} ${names}`
    const problem = known.get(memory) ?? (await take(one, directory))
    if (problem === null) continue
    fresh.set(memory, problem)
    refused.push({ file: one.file, problem })
  }
  known.clear()
  for (const [memory, problem] of fresh) known.set(memory, problem)
  return { cores: await storedCores(directory), refused }
}
