import { setImmediate as turn } from 'node:timers/promises'
import type { BrotliCompress, Gzip } from 'node:zlib'
import type { ContentCoding } from '#edge-cache/index.ts'
import { encodeNow, streamCoder } from './coding-options.ts'

type Read = ReadableStreamReadResult<Uint8Array>

/** What comes within is no pause: a script writes a page in many pieces without meaning anything by it. */
const PAUSE_MS = 4

/** Whether the promise settles, well or not, before the origin counts as pausing. */
const settlesSoon = (promise: Promise<unknown>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS, false)
    const settled = (): void => {
      clearTimeout(timer)
      resolve(true)
    }
    promise.then(settled, settled)
  })

/** What is gathered before it is given to the coder: each time costs a way to a thread and back. */
const GATHERED_BYTES = 64 * 1024

/**
 * A body in a coding, read as fast as it is asked for. What its origin gives without a
 * pause is coded together, and where it pauses everything that it gave so far goes
 * out, so that what is flushed there arrives. When the origin breaks off, this
 * fails too, behind what came before.
 *
 * A class for the reason of `ResponseBody`.
 */
class CodedSource implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #coding: ContentCoding
  readonly #done: () => void
  /** Made for what does not come at once. */
  #coder: Gzip | BrotliCompress | null = null
  readonly #ready: Uint8Array<ArrayBuffer>[] = []
  #next: Promise<Read> | null = null
  #ended = false
  #failure: unknown = null
  #over = false

  constructor(body: ReadableStream<Uint8Array>, coding: ContentCoding, done: () => void) {
    this.#reader = body.getReader()
    this.#coding = coding
    this.#done = done
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    try {
      while (this.#ready.length === 0 && !this.#ended && this.#failure === null) await this.#step()
    } catch (error) {
      this.#failure ??= error
    }
    const piece = this.#ready.shift()
    if (piece !== undefined) return controller.enqueue(piece)
    this.#finish()
    if (this.#failure === null) return controller.close()
    controller.error(this.#failure)
    this.#reader.cancel(this.#failure).catch(() => undefined)
  }

  async cancel(reason: unknown): Promise<void> {
    this.#finish()
    await this.#reader.cancel(reason)
  }

  /** Codes what the origin gives until it pauses or ends; a failure of it is told after what came before. */
  async #step(): Promise<void> {
    const pieces: Uint8Array[] = []
    let bytes = 0
    let ends = false
    while (!ends && bytes < GATHERED_BYTES) {
      this.#next ??= this.#reader.read()
      if (bytes > 0 && !(await settlesSoon(this.#next))) break
      try {
        const { done, value } = await this.#next
        if (done) ends = true
        else if (value.byteLength > 0) {
          pieces.push(value)
          bytes += value.byteLength
        }
      } catch (error) {
        this.#failure = error
        break
      } finally {
        this.#next = null
      }
    }
    if (this.#over) return
    const [first] = pieces
    const gathered = pieces.length === 1 && first !== undefined ? first : Buffer.concat(pieces)
    if (ends) await this.#end(gathered)
    else if (bytes > 0) await this.#write(gathered)
  }

  /** The coder gives out what it was given, each time. */
  async #write(bytes: Uint8Array): Promise<void> {
    const coder = (this.#coder ??= this.#open())
    await this.#told(coder, (done) => coder.write(bytes, done))
    // Its output may come a moment later than its word.
    await turn()
  }

  async #end(bytes: Uint8Array): Promise<void> {
    this.#ended = true
    const coder = this.#coder
    if (coder === null) {
      this.#ready.push(encodeNow(bytes, this.#coding))
      return
    }
    await this.#told(coder, (done) => {
      coder.once('end', done)
      coder.end(bytes)
    })
  }

  #open(): Gzip | BrotliCompress {
    const coder = streamCoder(this.#coding)
    coder.on('data', (piece: Uint8Array<ArrayBuffer>) => this.#ready.push(piece))
    coder.on('error', (error) => (this.#failure ??= error))
    return coder
  }

  /** Resolves when the coder has done it, rejects when it fails or is closed. */
  #told(coder: Gzip | BrotliCompress, work: (done: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null): void => {
        coder.off('close', onClose)
        if (error === null) resolve()
        else reject(error)
      }
      const onClose = (): void => settle(new Error('The coder was closed.'))
      coder.once('close', onClose)
      work(() => settle(null))
    })
  }

  #finish(): void {
    if (this.#over) return
    this.#over = true
    this.#coder?.destroy()
    this.#done()
  }
}

/** See `CodedSource`. `done` is called once, when its coder is not needed any more. */
export const codedStream = (
  body: ReadableStream<Uint8Array>,
  coding: ContentCoding,
  done: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream(new CodedSource(body, coding, done), { highWaterMark: 0 })
