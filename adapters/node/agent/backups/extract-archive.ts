import { createWriteStream } from 'node:fs'
import path from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '#handlers/errors.ts'
import { unpackInto } from './home-tar.ts'
import type { HomeOwner } from './home-tar.ts'
import type { Manifest } from './manifest.ts'
import type { ArchiveKeys } from './records/archive-keys.ts'
import type { ChosenMembers } from './restore/chosen-members.ts'
import type { TarLimits } from '../../archives/tar-reader.ts'
import { TAR_END, tarHeader, tarPadding } from './tar-writer.ts'
import { walkArchive } from './walk-archive.ts'
import type { WalkedArchive } from './walk-archive.ts'

/** A stream of judged members for `tar`; `put` fails when nobody takes them any more. */
const createClean = () => {
  const stream = new PassThrough({ highWaterMark: 256 * 1024 })
  let wake = (): void => undefined
  stream.on('error', () => undefined)
  stream.on('drain', () => wake())
  stream.on('close', () => wake())
  return {
    stream,
    async put(chunk: Buffer): Promise<void> {
      const ready = new Promise<void>((resolve) => (wake = resolve))
      if (!stream.destroyed && !stream.write(chunk)) await ready
      if (stream.destroyed) throw new Error('what extracts the archive has ended')
    },
  }
}

const tooLarge = (maxBytes: number): Error =>
  new AppError(
    413,
    `The files of the backup are larger than the ${maxBytes} bytes that the account may have. Raise its quota, then restore again. Nothing was changed.`,
  )

/**
 * Goes once through an archive, which is hostile input: dumps go to `dumpsDir`
 * (0600), the home's members, each judged, to a process of the account that
 * extracts them into `staging` of its home. Throws 409 or 413 at the first member
 * that is not in order; what was extracted until then is the caller's to remove.
 */
export const extractArchive = async (input: {
  file: string
  owner: HomeOwner
  keys: ArchiveKeys
  /** Throws when the archive is not the one that is meant. */
  onManifest: (manifest: Manifest) => void
  staging: string | null
  /** Null: the whole home. */
  chosen: ChosenMembers | null
  dumpsDir: string | null
  /** By the name of its file. */
  wantsDump: (name: string) => boolean
  /** Of the home's members that are extracted; dumps have `maxDumpBytes` beside it. */
  limits: TarLimits
  /** Of all its members. */
  walkBytes: number
  maxDumpBytes: number
  /** Told after each member: bytes and files until then. */
  onHome: (bytes: number, files: number) => void
}): Promise<WalkedArchive> => {
  const { file, owner, staging, dumpsDir } = input
  const { maxEntries, maxBytes } = input.limits
  const clean = createClean()
  let homeBytes = 0
  let files = 0

  const read = async (): Promise<WalkedArchive> => {
    const walked = await walkArchive({
      file,
      limits: { maxEntries, maxBytes: input.walkBytes + input.maxDumpBytes },
      keys: input.keys,
      home: owner.home,
      onManifest: input.onManifest,
      takes: (name) => {
        if (dumpsDir === null || !name.startsWith('databases/')) return null
        const file = name.slice('databases/'.length)
        if (!input.wantsDump(file)) return null
        const to = path.join(dumpsDir, file)
        return (content) =>
          pipeline(Readable.from(content), createWriteStream(to, { flags: 'wx', mode: 0o600 }))
      },
      async onHome(entry, content) {
        if (staging === null || input.chosen?.takes(entry) === false) return
        homeBytes += entry.sizeBytes
        if (homeBytes > maxBytes) throw tooLarge(maxBytes)
        await clean.put(tarHeader(entry))
        for await (const chunk of content) await clean.put(chunk)
        await clean.put(tarPadding(entry))
        if (entry.type === 'file') files += 1
        input.onHome(homeBytes, files)
      },
    })
    if (staging !== null) await clean.put(TAR_END)
    clean.stream.end()
    return walked
  }

  const unpacking = staging === null ? null : unpackInto(owner, staging, clean.stream)
  const reading = read().catch((error: unknown) => {
    clean.stream.destroy(error instanceof Error ? error : new Error(String(error)))
    throw error
  })
  // Both are waited for: while the process lives it may still write where the caller
  // is to remove. Its fault goes first, since it is the reader's where that came before.
  const [unpacked, done] = await Promise.allSettled([unpacking, reading])
  if (unpacked.status === 'rejected') throw unpacked.reason
  if (done.status === 'rejected') throw done.reason
  return done.value
}
