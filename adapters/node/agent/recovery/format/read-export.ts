import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Writable, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import {
  ABOUT,
  ExportError,
  MANIFEST,
  MAX_TEXT_BYTES,
  parseAbout,
  parseExportManifest,
  SIGNATURE,
  type ExportManifest,
} from '#handlers/domain/recovery/export-manifest.ts'
import { LOGINS, parseMemberName } from '#handlers/domain/recovery/member-name.ts'
import { open, type Key } from './age.ts'
import { isSignedBy } from './recovery-keys.ts'

/** What an export may hold altogether; an honest one is far below. */
export interface ExportLimits {
  maxMembers: number
  maxBytes: number
}

export const MAX_MEMBERS = 500_000

/** How exports are told to be of one's own panel. */
export interface Proof {
  key: Key
  /** Of the recovery kit; null where the passphrase is proof enough: whoever knows it not could not have made the file. */
  proof: string | null
}

/** A whole, authentic export. */
export interface ReadExport {
  manifest: ExportManifest
  /** Files in `directory` by their names as members; empty where none was given. */
  files: Map<string, string>
}

interface Seen {
  size: number
  sha256: string
  file: string | null
}

/** Reads a member whole that is small. */
const textOf = async (content: Readable, size: number): Promise<Buffer> => {
  if (size > MAX_TEXT_BYTES) throw new ExportError('This export has a list that is too long.')
  const chunks: Buffer[] = []
  for await (const chunk of content as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

/** The order that members come in; anything else is refused before it is looked at. */
const judge = (header: Header, seen: ReadonlyMap<string, Seen>, limits: ExportLimits): void => {
  const { name, type } = header
  const shown = JSON.stringify(name.slice(0, 200))
  if (type !== 'file')
    throw new ExportError(`This export holds a ${type} (${shown}); only files are read.`)
  const isText = [ABOUT, MANIFEST, SIGNATURE, LOGINS].includes(name)
  if (!isText && parseMemberName(name) === null)
    throw new ExportError(`This export holds a file of a name that is not taken (${shown}).`)
  if (seen.has(name)) throw new ExportError(`This export holds a file twice (${shown}).`)
  if (seen.size === 0 && name !== ABOUT) throw new ExportError('This is no panel export.')
  if (seen.has(SIGNATURE)) throw new ExportError('This export goes on behind its end.')
  if (seen.has(MANIFEST) && name !== SIGNATURE)
    throw new ExportError('This export goes on behind the list of what is in it.')
  if (seen.size >= limits.maxMembers)
    throw new ExportError(`This export holds more than ${limits.maxMembers} files.`)
}

const compare = (manifest: ExportManifest, seen: ReadonlyMap<string, Seen>): void => {
  for (const { name, size, sha256 } of manifest.members) {
    const there = seen.get(name)
    if (there?.size !== size || there.sha256 !== sha256)
      throw new ExportError(`${name} in this export is not what its list says.`)
  }
  const lists = [ABOUT, MANIFEST, SIGNATURE].length
  if (seen.size !== manifest.members.length + lists)
    throw new ExportError('This export holds files that its list does not name.')
}

/**
 * Reads an export to its end and proves it: every byte is authenticated, every member
 * is the one that the list names. With `directory` (empty, root's) the members lie
 * there afterwards, under numbers: their names lead nowhere. Nothing of it may be
 * used before this has resolved. Throws `ExportError`.
 */
export const readExport = async (
  file: string,
  { key, proof }: Proof,
  directory: string | null,
  limits: ExportLimits,
): Promise<ReadExport> => {
  const source = createReadStream(file)
  const tar = extract()
  const seen = new Map<string, Seen>()
  let manifest: Buffer | null = null
  let signature = ''
  let id = ''
  let bytes = 0

  const take = async (header: Header, content: Readable): Promise<void> => {
    judge(header, seen, limits)
    const { name } = header
    const size = header.size ?? 0
    bytes += size
    if (bytes > limits.maxBytes)
      throw new ExportError(
        `This export holds more than the ${limits.maxBytes} bytes for which there is room.`,
      )
    if (name === ABOUT || name === MANIFEST || name === SIGNATURE) {
      const text = await textOf(content, size)
      if (name === ABOUT) id = parseAbout(text.toString()).id
      else if (name === MANIFEST) manifest = text
      else signature = text.toString()
      seen.set(name, { size, sha256: '', file: null })
      return
    }
    const hash = createHash('sha256')
    const place = directory === null ? null : join(directory, String(seen.size))
    await pipeline(
      content,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          yield chunk
        }
      },
      place === null
        ? nowhere()
        : createWriteStream(place, { flags: 'wx', mode: 0o600, flush: true }),
    )
    seen.set(name, { size, sha256: hash.digest('hex'), file: place })
  }

  try {
    const opened = await open(source, key)
    const reading = pipeline(opened, createGunzip(), tar as unknown as Writable)
    const taking = (async () => {
      for await (const entry of tar) await take(entry.header, entry as unknown as Readable)
    })().catch((error: unknown) => {
      tar.destroy()
      throw error
    })
    const [taken, read] = await Promise.allSettled([taking, reading])
    // What a member is refused for says more than that the reading broke off.
    if (taken.status === 'rejected' && taken.reason instanceof ExportError) throw taken.reason
    if (read.status === 'rejected') throw read.reason
    if (taken.status === 'rejected') throw taken.reason
  } catch (error) {
    if (error instanceof ExportError) throw error
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (/^E[A-Z]+$/.test(code) && !code.startsWith('ERR')) throw error
    throw new ExportError(
      'This export is damaged: a byte of it was changed, or its end is missing.',
      {
        cause: error,
      },
    )
  } finally {
    source.destroy()
  }
  if (manifest === null || signature === '') throw new ExportError('This export has no end.')
  if (proof !== null && !isSignedBy(proof, manifest, signature))
    throw new ExportError(
      'This export opens with the recovery kit, but was not made by the panel that the kit is of: anybody who knows the public key could have written it. Nothing of it was used.',
    )
  const list = parseExportManifest((manifest as Buffer).toString())
  if (list.id !== id) throw new ExportError('This export is put together of several.')
  compare(list, seen)
  return {
    manifest: list,
    files: new Map(
      [...seen].flatMap(([name, { file }]) => (file === null ? [] : [[name, file] as const])),
    ),
  }
}
