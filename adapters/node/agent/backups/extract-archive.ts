import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import path from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError, conflict } from '#handlers/errors.ts'
import { readArchive } from './archive-file.ts'
import { createEntryRules } from './entry-rules.ts'
import { unpackInto } from './home-tar.ts'
import type { HomeOwner } from './home-tar.ts'
import { MANIFEST, MAX_MANIFEST_BYTES, parseManifest } from './manifest.ts'
import type { Manifest } from './manifest.ts'
import type { TarLimits } from './tar-reader.ts'
import { TAR_END, tarHeader, tarPadding } from './tar-writer.ts'
import { contentOf } from './verify-archive.ts'

const refused = (why: string): Error =>
  conflict(`The archive is refused: ${why}. Nothing was changed.`)

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

const takeDump = async (
  dump: Manifest['databases'][number],
  content: AsyncIterable<Buffer>,
  directory: string,
): Promise<void> => {
  const hash = createHash('sha256')
  await pipeline(
    Readable.from(content),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        yield chunk
      }
    },
    createWriteStream(path.join(directory, dump.file), { flags: 'wx', mode: 0o600 }),
  )
  if (hash.digest('hex') !== dump.sha256)
    throw refused(`the dump of ${dump.database} is not the one of its manifest`)
}

/**
 * Goes once through an archive, which is hostile input: dumps go to `dumpsDir`
 * (0600), the home's members, each judged, to a process of the account that
 * extracts them into `staging` of its home. Throws 409 or 413 at the first member
 * that is not in order; what was extracted until then is the caller's to remove.
 */
export const extractArchive = async (input: {
  file: string
  owner: HomeOwner
  staging: string | null
  dumpsDir: string | null
  /** Of the home's members; dumps have `maxDumpBytes` beside it. */
  limits: TarLimits
  maxDumpBytes: number
  onHome: (bytes: number) => void
}): Promise<Manifest> => {
  const { file, owner, staging, dumpsDir } = input
  const clean = createClean()
  const rules = createEntryRules(owner.home)
  const dumps = new Map<string, Manifest['databases'][number]>()
  let manifest: Manifest | null = null
  let homeBytes = 0

  const read = async (): Promise<void> => {
    const { maxEntries, maxBytes } = input.limits
    const all = { maxEntries, maxBytes: maxBytes + input.maxDumpBytes }
    await readArchive(file, all, async (entry, content) => {
      if (manifest === null) {
        if (entry.name !== MANIFEST || entry.type !== 'file')
          throw refused('manifest.json is not its first member')
        const text = (await contentOf(content, MAX_MANIFEST_BYTES)).toString('utf8')
        manifest = parseManifest(text, owner.username)
        for (const dump of manifest.databases) {
          if (dump.file !== `${dump.engine}-${dump.database}.sql`)
            throw refused('its manifest names an unknown file')
          dumps.set(`databases/${dump.file}`, dump)
        }
        return
      }
      const dump = dumps.get(entry.name)
      if (dump !== undefined && entry.type === 'file') {
        dumps.delete(entry.name)
        if (dumpsDir !== null) await takeDump(dump, content, dumpsDir)
        return
      }
      if (!entry.name.startsWith('home/')) throw refused('it holds a member of an unknown name')
      const inHome = { ...entry, name: entry.name.slice('home/'.length) }
      const problem = rules.problem(inHome)
      if (problem !== null || inHome.type === 'other') throw refused(problem ?? 'an unknown member')
      if (staging === null) return
      homeBytes += inHome.sizeBytes
      if (homeBytes > maxBytes)
        throw new AppError(
          413,
          `The files of the backup are larger than the ${maxBytes} bytes that the account may have. Raise its quota, then restore again. Nothing was changed.`,
        )
      await clean.put(tarHeader(inHome))
      for await (const chunk of content) await clean.put(chunk)
      await clean.put(tarPadding(inHome))
      input.onHome(homeBytes)
    })
    if (dumps.size > 0) throw refused('a dump of its manifest is missing')
    if (staging !== null) await clean.put(TAR_END)
    clean.stream.end()
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
  if (manifest === null) throw refused('it is empty')
  return manifest
}
