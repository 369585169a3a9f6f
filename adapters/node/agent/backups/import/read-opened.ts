import { conflict } from '#handlers/errors.ts'
import type { ArchiveFacts } from '#handlers/ports/host/backups/archived-records.ts'
import { measureFile } from '../archive-file.ts'
import { createConfigFinder } from './config-finder.ts'
import type { Manifest } from '../manifest.ts'
import type { ArchiveKeys } from '../records/archive-keys.ts'
import { SEALED, unsealSecrets } from '../records/secrets.ts'
import type { ArchiveSecrets } from '../records/secrets.ts'
import type { TarLimits } from '../../../archives/tar-reader.ts'
import { contentOf } from '../verify-archive.ts'
import { walkArchive } from '../walk-archive.ts'

const MAX_SMALL_BYTES = 2 ** 20
/** Certificates of all sites together. */
const MAX_HELD_BYTES = 64 * 2 ** 20

/** An archive that was read whole and found in order. */
export interface OpenedArchive {
  file: string
  /** Of `file`; the facts tell those of the archive that was given. */
  measured: { sha256: string; sizeBytes: number }
  facts: ArchiveFacts
  manifest: Manifest
  /** Chains by site. */
  certificates: ReadonlyMap<string, string>
  /** Null: there is none, or no key for it. */
  secrets: ArchiveSecrets | null
}

/**
 * Reads an archive from its first byte to its last, judges every member, and keeps
 * what is small. `otherHomes` are looked for in configuration files beside its own. What is sealed is opened only where a key proves who sealed it.
 */
export const readOpened = async (
  file: string,
  keys: ArchiveKeys,
  limits: TarLimits,
  uidIsFree: (uid: number) => Promise<boolean>,
  otherHomes: readonly string[] = [],
): Promise<OpenedArchive> => {
  const configs = createConfigFinder(otherHomes)
  const certificates = new Map<string, string>()
  let sealedBytes: Buffer | null = null
  let held = 0
  let homeEntries = 0
  let homeBytes = 0
  const small = async (content: AsyncIterable<Buffer>): Promise<Buffer> => {
    const bytes = await contentOf(content, MAX_SMALL_BYTES)
    held += bytes.length
    if (held > MAX_HELD_BYTES) throw conflict('The archive is refused: its records are too large.')
    return bytes
  }
  const { manifest, proof, key } = await walkArchive({
    file,
    limits,
    keys,
    // Links are judged again by the home that they come into; here by their own.
    home: null,
    onManifest: ({ home }) => configs.begin(home),
    takes: (name) => async (content) => {
      if (name === SEALED) sealedBytes = await small(content)
      else if (name.startsWith('certificates/')) {
        const domain = name.slice('certificates/'.length, -'.pem'.length)
        certificates.set(domain, (await small(content)).toString('utf8'))
      } else for await (const chunk of content) void chunk
    },
    async onHome(entry, content) {
      homeEntries += 1
      homeBytes += entry.sizeBytes
      await configs.look(entry, content)
    },
  })
  const { sealed, uid } = manifest
  const opens = sealed !== null && sealedBytes !== null && key !== null && key.id === sealed.key_id
  const secrets = opens ? unsealSecrets(sealedBytes ?? Buffer.alloc(0), sealed.iv, key) : null
  const measured = await measureFile(file)
  return {
    file,
    measured,
    manifest,
    certificates,
    secrets,
    facts: {
      ...measured,
      version: manifest.version,
      madeBy: manifest.made_by,
      username: manifest.username,
      createdAt: manifest.created_at,
      uid,
      home: manifest.home,
      uidIsFree: uid !== null && (await uidIsFree(uid)),
      proof,
      keyId: sealed?.key_id ?? null,
      hasSecrets: secrets !== null,
      record: manifest.record,
      databases: manifest.databases.map((row) => ({
        engine: row.engine,
        database: row.database,
        user: row.user,
        sizeBytes: row.size_bytes,
        hasPassword: row.password_hash !== null,
      })),
      databaseUsers: manifest.database_users.map(({ engine, user, grants }) => ({
        ...{ engine, user, grants },
      })),
      homeEntries,
      homeBytes,
      formerHomes: configs.homes(),
      configs: configs.found,
      report: [],
    },
  }
}
