import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { createMeter } from './archive-file.ts'
import type { HomeSource } from './living-home.ts'
import { createSkipped } from './skipped.ts'
import { MANIFEST } from './manifest.ts'
import type { Manifest } from './manifest.ts'
import type { ArchiveKey } from './records/archive-keys.ts'
import type { SmallMember } from './records/collect-records.ts'
import { proofMember } from './records/proof.ts'
import type { TarEntry } from '../../archives/tar-reader.ts'
import { TAR_END, tarHeader, tarPadding } from './tar-writer.ts'

const member = (name: string, sizeBytes: number, mtimeSecs: number): TarEntry => ({
  name,
  type: 'file',
  mode: 0o600,
  mtimeSecs,
  sizeBytes,
  link: '',
})

/**
 * Writes an archive (0600, synced): manifest, small members, dumps, the home, then the
 * proof of all of that by `key`. `skipped`
 * counts what of the home is not in it: links out of it, devices, pipes, and what
 * its own account may not read. `onHome` hears of the bytes of the home now and then.
 */
export const writeArchive = async (input: {
  file: string
  home: HomeSource
  manifest: Manifest
  members: readonly SmallMember[]
  key: ArchiveKey
  dumpsDir: string
  nowSecs: number
  onHome: (bytes: number) => void
}): Promise<{
  sizeBytes: number
  sha256: string
  entries: number
  skipped: number
  skippedPaths: string[]
}> => {
  const { file, manifest, dumpsDir, nowSecs } = input
  const out = new PassThrough({ highWaterMark: 256 * 1024 })
  // When writing fails the pipeline destroys it, and whoever waits here hears of it.
  out.on('error', () => undefined)
  const hash = createHash('sha256')
  const put = async (chunk: Buffer): Promise<void> => {
    hash.update(chunk)
    if (!out.write(chunk)) await once(out, 'drain')
  }
  let entries = 0
  const skipped = createSkipped()
  let homeBytes = 0

  const putWhole = async (entry: TarEntry, content: AsyncIterable<Buffer>): Promise<void> => {
    await put(tarHeader(entry))
    for await (const chunk of content) await put(chunk)
    await put(tarPadding(entry))
    entries += 1
  }
  const produce = async (): Promise<void> => {
    const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`)
    await putWhole(member(MANIFEST, text.length, nowSecs), Readable.from([text]))
    for (const { name, content } of input.members)
      await putWhole(member(name, content.length, nowSecs), Readable.from([content]))
    for (const dump of manifest.databases)
      await putWhole(
        member(`databases/${dump.file}`, dump.size_bytes, nowSecs),
        createReadStream(path.join(dumpsDir, dump.file)),
      )
    await input.home(async (entry, content) => {
      await putWhole({ ...entry, name: `home/${entry.name}` }, content)
      homeBytes += entry.sizeBytes
      input.onHome(homeBytes)
    }, skipped)
    await put(proofMember(hash.copy().digest('hex'), input.key, nowSecs))
    entries += 1
    await put(TAR_END)
    out.end()
  }

  const meter = createMeter()
  const written = pipeline(
    out,
    createGzip({ level: 6, chunkSize: 64 * 1024 }),
    meter.stream,
    createWriteStream(file, { flags: 'wx', mode: 0o600 }),
  )
  await Promise.all([
    written,
    produce().catch((error: unknown) => {
      out.destroy(error instanceof Error ? error : new Error(String(error)))
      throw error
    }),
  ])
  const handle = await open(file)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { ...meter.result(), entries, ...skipped.result() }
}
