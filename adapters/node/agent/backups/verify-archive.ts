import { createHash } from 'node:crypto'
import { conflict } from '#handlers/errors.ts'
import type { Engine } from '../databases/engine.ts'
import { measureFile, readArchive } from './archive-file.ts'
import { MANIFEST, MAX_MANIFEST_BYTES, parseManifest, partsOf } from './manifest.ts'
import type { Manifest } from './manifest.ts'
import type { ArchiveKeys } from './records/archive-keys.ts'
import { createProofReader } from './records/proof.ts'
import type { TarLimits } from '../../archives/tar-reader.ts'

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
    if (have > maxBytes) throw conflict('A record of the archive is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const noMore = (what: string): Error => conflict(`The archive is not whole: ${what}.`)

/**
 * Reads an archive back from its file, completely, and compares: the file's
 * SHA-256, the number of members, its proof, and each part's SHA-256; of dumps also
 * their end. Throws 409 at the first difference.
 */
export const verifyArchive = async (
  file: string,
  expected: { username: string; sha256: string; entries: number },
  engines: readonly Engine[],
  keys: ArchiveKeys,
  limits: TarLimits,
): Promise<Manifest> => {
  let manifest: Manifest | null = null
  let missing = new Map<string, { sha256: string }>()
  const ends = new Map<string, RegExp | undefined>()
  let entries = 0
  const proof = createProofReader()
  await readArchive(
    file,
    limits,
    async (entry, content) => {
      entries += 1
      if (entries === 1) {
        if (entry.name !== MANIFEST) throw noMore('manifest.json is not its first member')
        const text = (await contentOf(content, MAX_MANIFEST_BYTES)).toString('utf8')
        manifest = parseManifest(text, expected.username)
        missing = partsOf(manifest)
        for (const { engine, file } of manifest.databases)
          ends.set(`databases/${file}`, engines.find(({ name }) => name === engine)?.dumpEnd)
        return
      }
      const part = missing.get(entry.name)
      if (part === undefined) return
      missing.delete(entry.name)
      const hash = createHash('sha256')
      let tail: Buffer = Buffer.alloc(0)
      for await (const chunk of content) {
        hash.update(chunk)
        tail = Buffer.concat([tail, chunk.subarray(-TAIL_BYTES)]).subarray(-TAIL_BYTES)
      }
      const hasEnd = ends.get(entry.name)?.test(tail.toString('latin1')) !== false
      if (hash.digest('hex') !== part.sha256 || !hasEnd)
        throw noMore(`${entry.name} is not what was written`)
    },
    (chunk) => proof.take(chunk),
  )
  if (manifest === null) throw noMore('it is empty')
  if (missing.size > 0) throw noMore('a part is missing')
  if (entries !== expected.entries) throw noMore('members are missing')
  if ((await proof.verdict(keys)).proof !== 'own') throw noMore('its proof is missing')
  if ((await measureFile(file)).sha256 !== expected.sha256)
    throw noMore('the file is not what was written')
  return manifest
}
