import { randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import type { SpoolBudget } from './spool-budget.ts'

/** A request body whose length is known, as PHP wants it. */
export interface CountedBody {
  sizeBytes: number
  /** The bytes, once. Fails when the client sends another number than it announced. */
  chunks(): AsyncIterable<Uint8Array>
  /** Releases what is held; call it in every case. */
  dispose(): Promise<void>
}

export interface BodyLimits {
  /** Up to this a body is held in memory before PHP is asked. */
  memoryBytes: number
  /** Larger bodies are refused with 413; 0: no limit. */
  maxBytes: number
  /** For bodies of unknown length that are larger than `memoryBytes`. */
  temporaryDirectory: string
  /** Room on the disk; asked in the name of `site`. */
  budget: SpoolBudget
  site: string
}

const nothing = async (): Promise<void> => undefined

const tooLarge = (): OriginError => new OriginError(413, 'the request body is larger than allowed')

/** The chunks of a stream; what the client does wrong or breaks off is its fault, not PHP's. */
async function* received(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  let whole = false
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw new OriginError(400, 'the request body did not arrive whole', error)
      })
      if (done) break
      yield value
    }
    whole = true
  } finally {
    if (!whole) reader.cancel().catch(() => undefined)
  }
}

/** Checks the announced length while the chunks go by. */
async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  sizeBytes: number,
): AsyncGenerator<Uint8Array> {
  let seen = 0
  for await (const chunk of chunks) {
    seen += chunk.byteLength
    if (seen > sizeBytes) throw new OriginError(400, 'the request body is longer than announced')
    yield chunk
  }
  if (seen < sizeBytes) throw new OriginError(400, 'the request body is shorter than announced')
}

async function* inMemory(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

async function* fromFile(file: FileHandle, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < sizeBytes;) {
    const buffer = Buffer.allocUnsafe(Math.min(256 * 1024, sizeBytes - position))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) throw new Error('the temporary file of a request body became shorter')
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** A file without a name: it vanishes with its descriptor, also when this process is killed. */
const openNameless = async (directory: string): Promise<FileHandle> => {
  const path = join(directory, `berth-body-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

const writeAll = async (file: FileHandle, chunk: Uint8Array): Promise<void> => {
  for (let from = 0; from < chunk.byteLength;) {
    from += (await file.write(chunk, from, chunk.byteLength - from)).bytesWritten
  }
}

/** Takes in a body of unknown length: into memory, and from `memoryBytes` on into a file. */
const spool = async (
  body: ReadableStream<Uint8Array>,
  { memoryBytes, maxBytes, temporaryDirectory, budget, site }: BodyLimits,
): Promise<CountedBody> => {
  let held: Uint8Array[] = []
  let file: FileHandle | null = null
  let sizeBytes = 0
  const room = budget.open(site)
  try {
    for await (const chunk of received(body)) {
      sizeBytes += chunk.byteLength
      if (maxBytes > 0 && sizeBytes > maxBytes) throw tooLarge()
      held.push(chunk)
      if (file === null && sizeBytes <= memoryBytes) continue
      file ??= await openNameless(temporaryDirectory)
      for (const piece of held) {
        room.take(piece.byteLength)
        await writeAll(file, piece)
      }
      held = []
    }
  } catch (error) {
    await file?.close()
    room.release()
    throw error
  }
  const spooled = file
  if (spooled === null) return { sizeBytes, chunks: () => inMemory(held), dispose: nothing }
  return {
    sizeBytes,
    chunks: () => fromFile(spooled, sizeBytes),
    dispose: async () => {
      await spooled.close()
      room.release()
    },
  }
}

/**
 * Makes a request's body countable. Null: there is none. Bodies up to
 * `memoryBytes` are awaited whole, so that a slow sender does not occupy a PHP
 * process; larger ones of known length are passed on as they come. Rejects with
 * `OriginError` 400 or 413.
 */
export const countBody = async (
  request: Request,
  limits: BodyLimits,
): Promise<CountedBody | null> => {
  const field = request.headers.get('content-length')
  const { body } = request
  if (body === null)
    return field === '0' ? { sizeBytes: 0, chunks: () => inMemory([]), dispose: nothing } : null
  if (field === null || !/^\d{1,15}$/.test(field)) return spool(body, limits)
  const sizeBytes = Number(field)
  if (limits.maxBytes > 0 && sizeBytes > limits.maxBytes) throw tooLarge()
  const chunks = counted(received(body), sizeBytes)
  if (sizeBytes > limits.memoryBytes) {
    return {
      sizeBytes,
      chunks: () => chunks,
      dispose: async () => void (await chunks.return(undefined)),
    }
  }
  const held: Uint8Array[] = []
  for await (const chunk of chunks) held.push(chunk)
  return { sizeBytes, chunks: () => inMemory(held), dispose: nothing }
}
