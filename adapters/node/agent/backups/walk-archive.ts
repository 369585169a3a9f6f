import { createHash } from 'node:crypto'
import { conflict } from '#handlers/errors.ts'
import type { ArchiveProof } from '#handlers/ports/host/backups/archived-records.ts'
import { readArchive } from './archive-file.ts'
import { createEntryRules } from '../../archives/entry-rules.ts'
import { MANIFEST, MAX_MANIFEST_BYTES, partsOf, readManifest } from './manifest.ts'
import type { Manifest } from './manifest.ts'
import type { ArchiveKey, ArchiveKeys } from './records/archive-keys.ts'
import { PROOF, createProofReader } from './records/proof.ts'
import { bytesOf } from '../../archives/tar-reader.ts'
import type { TarEntry, TarLimits } from '../../archives/tar-reader.ts'
import { contentOf } from './verify-archive.ts'

/** 409 for an archive that is not in order. */
export const refused = (why: string): Error =>
  conflict(`The archive is refused: ${why}. Nothing was changed.`)

/** What a walk through an archive found. */
export interface WalkedArchive {
  manifest: Manifest
  proof: ArchiveProof
  /** The key of its proof; null: unproved. */
  key: ArchiveKey | null
}

/** A link into the home that the archive was made from leads to the same place of the new one. */
const relinked = (entry: TarEntry, from: string | null, to: string): TarEntry => {
  if (from === null || from === to || entry.type !== 'symlink') return entry
  const [old, home] = [bytesOf(from), bytesOf(to)]
  const { link } = entry
  const inside = link === old || link.startsWith(`${old}/`)
  return inside ? { ...entry, link: home + link.slice(old.length) } : entry
}

/**
 * Goes once through an archive, which is hostile input, and judges each member: the
 * manifest first, then its parts, then the home, whose members fit into `home`. What
 * `takes` a part reads all of it; it is compared with the manifest after that. Throws 409 or 413
 * at the first member that is not in order.
 */
export const walkArchive = async (input: {
  file: string
  limits: TarLimits
  keys: ArchiveKeys
  /** Absolute path that links may not leave; null: the one that the archive was made from. */
  home: string | null
  /** Throws when the archive is not the one that is meant. */
  onManifest: (manifest: Manifest) => void
  /** Null: the part is passed over, its content unread. */
  takes: (name: string) => ((content: AsyncIterable<Buffer>) => Promise<void>) | null
  onHome: (entry: TarEntry, content: AsyncIterable<Buffer>) => Promise<void>
}): Promise<WalkedArchive> => {
  /** Until the manifest names one: where no archive of version 1 leads. */
  let home = input.home ?? '/home'
  let rules = createEntryRules(home)
  const proof = createProofReader()
  let manifest: Manifest | null = null
  let missing = new Map<string, { sha256: string; sizeBytes: number }>()
  let ended = false

  const takePart = async (
    name: string,
    part: { sha256: string; sizeBytes: number },
    content: AsyncIterable<Buffer>,
  ): Promise<void> => {
    const take = input.takes(name)
    if (take === null) return
    const hash = createHash('sha256')
    const hashed = async function* () {
      for await (const chunk of content) {
        hash.update(chunk)
        yield chunk
      }
    }
    await take(hashed())
    if (hash.digest('hex') !== part.sha256) throw refused(`${name} is not the one of its manifest`)
  }

  await readArchive(
    input.file,
    input.limits,
    async (entry, content) => {
      if (ended) throw refused('something comes after its proof')
      if (manifest === null) {
        if (entry.name !== MANIFEST || entry.type !== 'file')
          throw refused('manifest.json is not its first member')
        const text = (await contentOf(content, MAX_MANIFEST_BYTES)).toString('utf8')
        manifest = readManifest(text)
        input.onManifest(manifest)
        if (input.home === null) {
          home = manifest.home ?? `/home/${manifest.username}`
          rules = createEntryRules(home)
        }
        missing = partsOf(manifest)
        return
      }
      const part = missing.get(entry.name)
      if (part !== undefined && entry.type === 'file') {
        missing.delete(entry.name)
        return takePart(entry.name, part, content)
      }
      if (entry.name === PROOF && entry.type === 'file' && manifest.version > 1) {
        ended = true
        return
      }
      if (!entry.name.startsWith('home/')) throw refused('it holds a member of an unknown name')
      const named = { ...entry, name: entry.name.slice('home/'.length) }
      const inHome = named.type === 'other' ? named : relinked(named, manifest.home, home)
      const problem = rules.problem(inHome)
      if (problem !== null || inHome.type === 'other') throw refused(problem ?? 'an unknown member')
      await input.onHome(inHome, content)
    },
    (chunk) => proof.take(chunk),
  )
  if (manifest === null) throw refused('it is empty')
  if (missing.size > 0) throw refused('a part of its manifest is missing')
  return { manifest, ...(await proof.verdict(input.keys)) }
}
