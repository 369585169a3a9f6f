import { createHash } from 'node:crypto'
import { conflict } from '#handlers/errors.ts'
import type { Engine } from '../databases/engine.ts'
import { measureFile, readArchive } from './archive-file.ts'
import { MANIFEST, MAX_MANIFEST_BYTES, parseManifest } from './manifest.ts'
import type { Manifest } from './manifest.ts'
import type { TarLimits } from './tar-reader.ts'

const TAIL_BYTES = 1024

/** All of a small member. */
export const contentOf = async (
  content: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let have = 0
  for await (const chunk of content) {
    have += chunk.length
    if (have > maxBytes) throw conflict('The manifest.json of the archive is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const noMore = (what: string): Error => conflict(`The archive is not whole: ${what}.`)

/**
 * Reads an archive back from its file, completely, and compares: the file's
 * SHA-256, the number of members, and each dump's size, SHA-256 and end. Throws
 * 409 at the first difference.
 */
export const verifyArchive = async (
  file: string,
  expected: { username: string; sha256: string; entries: number },
  engines: readonly Engine[],
  limits: TarLimits,
): Promise<Manifest> => {
  let manifest: Manifest | null = null
  const missing = new Map<string, Manifest['databases'][number]>()
  let entries = 0
  await readArchive(file, limits, async (entry, content) => {
    entries += 1
    if (entries === 1) {
      if (entry.name !== MANIFEST) throw noMore('manifest.json is not its first member')
      const text = (await contentOf(content, MAX_MANIFEST_BYTES)).toString('utf8')
      manifest = parseManifest(text, expected.username)
      for (const dump of manifest.databases) missing.set(`databases/${dump.file}`, dump)
      return
    }
    const dump = missing.get(entry.name)
    if (dump === undefined) return
    missing.delete(entry.name)
    const hash = createHash('sha256')
    let tail: Buffer = Buffer.alloc(0)
    for await (const chunk of content) {
      hash.update(chunk)
      tail = Buffer.concat([tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES)
    }
    const end = engines.find(({ name }) => name === dump.engine)?.dumpEnd
    if (hash.digest('hex') !== dump.sha256 || end?.test(tail.toString('latin1')) === false)
      throw noMore(`the dump of ${dump.database} is not what was written`)
  })
  if (manifest === null) throw noMore('it is empty')
  if (missing.size > 0) throw noMore('a dump is missing')
  if (entries !== expected.entries) throw noMore('members are missing')
  if ((await measureFile(file)).sha256 !== expected.sha256)
    throw noMore('the file is not what was written')
  return manifest
}
