import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack, type Pack } from 'tar-stream'
import {
  ABOUT,
  aboutText,
  MANIFEST,
  manifestText,
  SIGNATURE,
  type ExportManifest,
  type Member,
} from '#handlers/domain/recovery/export-manifest.ts'
import { close, type Lock } from './age.ts'
import type { CollectedFile } from '../export/collect-files.ts'
import type { OwnerNames } from '../owner-names.ts'

/** Files of the installation are texts; databases are given apart. */
const MAX_FILE_BYTES = 64 * 2 ** 20

/** What goes into an export. */
export interface ExportContent {
  /** Copies that nobody writes to, by their name in the export. */
  databases: readonly { name: string; copy: string; user: 'root' | 'panel' }[]
  files: readonly CollectedFile[]
  /** Texts that are made for the export. */
  texts: readonly { name: string; text: string }[]
  facts: Omit<ExportManifest, 'format' | 'version' | 'members'>
  owners: OwnerNames
  sign: (manifest: Uint8Array) => string
}

const put = async (
  tar: Pack,
  name: string,
  size: number,
  mode: number,
  bytes: Readable,
): Promise<string> => {
  const hash = createHash('sha256')
  const sink = tar.entry({ name, size, mode, mtime: new Date() }) as unknown as Writable
  await pipeline(
    bytes,
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk)
        yield chunk
      }
    },
    sink,
  )
  return hash.digest('hex')
}

/** A file as it is now; a link or a pipe in its place is refused. */
const readPlain = async (
  file: string,
): Promise<{ bytes: Buffer; mode: number; uid: number; gid: number }> => {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = await handle.stat()
    if (!stat.isFile() || stat.size > MAX_FILE_BYTES) throw new Error('it is no plain, small file')
    return { bytes: await handle.readFile(), mode: stat.mode & 0o777, uid: stat.uid, gid: stat.gid }
  } finally {
    await handle.close()
  }
}

const fill = async (tar: Pack, content: ExportContent): Promise<void> => {
  const members: Member[] = []
  const leftOut = [...content.facts.left_out]
  const add = async (name: string, bytes: Uint8Array): Promise<string> =>
    put(tar, name, bytes.length, 0o600, Readable.from([bytes]))

  await add(ABOUT, Buffer.from(aboutText(content.facts.id)))
  for (const { name, copy, user } of content.databases) {
    const handle = await open(copy)
    const { size } = await handle.stat()
    const sha256 = await put(tar, name, size, 0o600, handle.createReadStream())
    members.push({ name, size, sha256, mode: 0o600, user, group: user })
  }
  for (const { name, text } of content.texts) {
    const bytes = Buffer.from(text)
    const sha256 = await add(name, bytes)
    members.push({ name, size: bytes.length, sha256, mode: 0o600, user: 'root', group: 'root' })
  }
  for (const { name, file, path } of content.files) {
    const found = await readPlain(file).catch((error: unknown) => {
      leftOut.push(`${file} cannot be read: ${error instanceof Error ? error.message : ''}`)
      return null
    })
    if (found === null) continue
    const { bytes, mode, uid, gid } = found
    members.push({
      name,
      size: bytes.length,
      sha256: await add(name, bytes),
      mode,
      user: content.owners.user(uid),
      group: content.owners.group(gid),
      ...(path === undefined ? {} : { path }),
    })
  }
  const manifest = Buffer.from(manifestText({ ...content.facts, left_out: leftOut, members }))
  await add(MANIFEST, manifest)
  await add(SIGNATURE, Buffer.from(`${content.sign(manifest)}\n`))
  tar.finalize()
}

/** Writes an export, compressed and closed, to what `openSink` opens once it can be closed so, at its pace. */
export const writeExport = async (
  content: ExportContent,
  locks: readonly Lock[],
  openSink: () => Writable,
): Promise<void> => {
  const tar = pack()
  const gzip = createGzip()
  const filling = fill(tar, content).catch((error: unknown) => {
    tar.destroy(error instanceof Error ? error : new Error(String(error)))
    throw error
  })
  const bytes = Readable.from(tar as AsyncIterable<Buffer>)
  const packing = pipeline(bytes, gzip)
  const sending = close(gzip, locks).then(
    (closed) => pipeline(closed, openSink()),
    (error: unknown) => {
      gzip.destroy()
      throw error
    },
  )
  const done = await Promise.allSettled([sending, filling, packing])
  for (const one of done) if (one.status === 'rejected') throw one.reason
}
