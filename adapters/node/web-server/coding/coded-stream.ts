import { setImmediate as turn } from 'node:timers/promises'
import type { BrotliCompress, Gzip } from 'node:zlib'
import type { ContentCoding } from '#edge-cache/types.ts'
import { FLUSH, streamCoder } from './coding-options.ts'

type Read = ReadableStreamReadResult<Uint8Array>

/** Whether the promise settles, well or not, before the event loop comes by again. */
const settlesSoon = (promise: Promise<unknown>): Promise<boolean> => {
  const yes = (): boolean => true
  return Promise.race([promise.then(yes, yes), turn(false)])
}

/**
 * A body in a coding, read as fast as it is asked for. Where its origin pauses,
 * everything that it gave so far goes out, so that what is flushed there arrives.
 * When the origin breaks off, this fails too, behind what came before.
 *
 * A class for the reason of `AnswerBody`.
 */
class CodedSource implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>
  readonly #coding: ContentCoding
  readonly #coder: Gzip | BrotliCompress
  readonly #done: () => void
  readonly #ready: Uint8Array<ArrayBuffer>[] = []
  #next: Promise<Read> | null = null
  /** Whether the coder was given what it did not give out. */
  #holds = false
  #ended = false
  #failure: unknown = null
  #over = false

  constructor(body: ReadableStream<Uint8Array>, coding: ContentCoding, done: () => void) {
    this.#reader = body.getReader()
    this.#coding = coding
    this.#done = done
    this.#coder = streamCoder(coding)
    this.#coder.on('data', (piece: Uint8Array<ArrayBuffer>) => this.#ready.push(piece))
    this.#coder.on('error', (error) => (this.#failure ??= error))
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

  /** Takes one piece of the body, or waits for one. */
  async #step(): Promise<void> {
    this.#next ??= this.#reader.read()
    if (this.#holds && !(await settlesSoon(this.#next))) {
      await this.#flush()
      return
    }
    let read: Read
    try {
      read = await this.#next
    } catch (error) {
      if (this.#holds) await this.#flush()
      throw error
    } finally {
      this.#next = null
    }
    if (!read.done) await this.#write(read.value)
    else await this.#end()
  }

  #write(piece: Uint8Array): Promise<void> {
    if (piece.byteLength === 0) return Promise.resolve()
    this.#holds = true
    return this.#told((done) => this.#coder.write(piece, done))
  }

  async #flush(): Promise<void> {
    this.#holds = false
    await this.#told((done) => this.#coder.flush(FLUSH[this.#coding], done))
    // Its output may come a moment later than its word.
    await turn()
  }

  async #end(): Promise<void> {
    await this.#told((done) => {
      this.#coder.once('end', done)
      this.#coder.end()
    })
    this.#ended = true
  }

  /** Resolves when the coder has done it, rejects when it fails or is closed. */
  #told(work: (done: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error: Error | null): void => {
        this.#coder.off('close', onClose)
        if (error === null) resolve()
        else reject(error)
      }
      const onClose = (): void => settle(new Error('The coder was closed.'))
      this.#coder.once('close', onClose)
      work(() => settle(null))
    })
  }

  #finish(): void {
    if (this.#over) return
    this.#over = true
    this.#coder.destroy()
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
