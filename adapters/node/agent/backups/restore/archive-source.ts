import { statfs } from 'node:fs/promises'
import { AppError, conflict } from '#handlers/errors.ts'
import type { RestoreParts } from '#handlers/ports/host/backups/restore-parts.ts'
import { measureFile } from '../archive-file.ts'
import { dumpName } from '../dump-databases.ts'
import { extractArchive } from '../extract-archive.ts'
import type { Manifest } from '../manifest.ts'
import type { ArchiveKeys } from '../records/archive-keys.ts'
import { createChosenMembers } from './chosen-members.ts'
import type { RestoreSource } from './restore-source.ts'

/** The dumps of the archive that are wanted; 404 for a chosen one that it lacks. */
const wantedDumps = (
  { databases }: Manifest,
  wanted: RestoreParts['databases'],
): Manifest['databases'] => {
  if (wanted === 'all') return databases
  if (wanted === 'none') return []
  return wanted.map((one) => {
    const dump = databases.find(
      ({ engine, database }) => engine === one.engine && database === one.database,
    )
    if (dump) return dump
    throw new AppError(
      404,
      `The backup holds no database ${one.database} of ${one.engine}. Nothing was changed.`,
      { field: 'databases' },
    )
  })
}

/** A local archive file of the account `username`, which is compared with what is known of it. */
export const archiveSource = (input: {
  file: string
  sha256: string
  sizeBytes: number
  username: string
  keys: ArchiveKeys
}): RestoreSource => ({
  async check(report) {
    report('check', 'Comparing the checksum', 5)
    const { sha256, sizeBytes } = await measureFile(input.file)
    if (sha256 !== input.sha256 || sizeBytes !== input.sizeBytes)
      throw conflict(
        'The backup file is not the one that was made: its checksum differs. Nothing was changed.',
        'location',
      )
  },
  async fetch({ owner, parts, staging, dumpsDir, limits, maxDumpBytes, onHome }) {
    const chosen = Array.isArray(parts.files) ? createChosenMembers(parts.files) : null
    let dumps: Manifest['databases'] = []
    // Of chosen parts nobody says that the rest would fit as well.
    const { blocks, bsize } = await statfs(owner.home)
    const walkBytes = chosen === null ? limits.maxBytes : Math.max(limits.maxBytes, blocks * bsize)
    await extractArchive({
      file: input.file,
      owner,
      keys: input.keys,
      onManifest: (manifest) => {
        if (manifest.username !== input.username)
          throw conflict('The archive is a backup of another account.')
        dumps = wantedDumps(manifest, parts.databases)
      },
      staging,
      chosen,
      dumpsDir,
      wantsDump: (name) => dumps.some((dump) => dumpName(dump) === name),
      limits,
      walkBytes,
      maxDumpBytes,
      onHome,
    })
    chosen?.assertFound()
    return dumps
  },
})
