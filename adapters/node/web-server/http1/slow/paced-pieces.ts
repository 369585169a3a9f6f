import type { Readable } from 'node:stream'

/**
 * A sender may make a piece of each byte, and each costs a microsecond or two: with what
 * waits, one read of the connection may bring some ten thousand.
 */
const WAITING_BYTES = 8192

/**
 * Pieces that are taken one by one before others have their turn. A parser that reads the
 * connection by itself runs promises between its pieces: whoever wants the next at once gets
 * it alone, and so all of a connection in one turn of the event loop.
 */
const PIECES_AT_ONCE = 64

/** Lets little of a body wait in pieces; called before any of it came. */
export const boundPieces = (message: Readable): void => {
  const state: unknown = Reflect.get(message, '_readableState')
  if (typeof state === 'object' && state !== null) {
    Reflect.set(state, 'highWaterMark', WAITING_BYTES)
  }
}

/**
 * Takes a body in pieces, one at a time: `resume` has the next come, which `take` gets. What
 * came meanwhile comes as one, and then others have their turn before more is read: the
 * system reads a connection that is never empty on and on.
 */
export class PacedPieces {
  readonly #message: Readable
  /** Whether the last piece is one of several that had come. */
  #isSplit = false
  /** Since others had their turn. */
  #pieces = 0
  #turn: Promise<void> | null = null

  constructor(message: Readable, take: (piece: Buffer<ArrayBuffer>) => void) {
    this.#message = message
    message.on('data', (piece: Buffer<ArrayBuffer>) => {
      message.pause()
      take(piece)
      if (message.readableLength === 0) return
      this.#isSplit = true
      message.read()
    })
    // A listener starts the flow; nothing is wanted before the first `resume`.
    message.pause()
  }

  /** At once, or when others had their turn. */
  resume(): void | Promise<void> {
    this.#pieces += 1
    if (!this.#isSplit && this.#pieces < PIECES_AT_ONCE) return void this.#message.resume()
    this.#turn ??= new Promise((resolve) =>
      setImmediate(() => {
        this.#turn = null
        this.#isSplit = false
        this.#pieces = 0
        this.#message.resume()
        resolve()
      }),
    )
    return this.#turn
  }
}

/** Reads a body that nobody wants, so that what follows it, or our answer, arrives. */
export const readAway = (message: Readable): void => {
  message.removeAllListeners('data')
  const pieces = new PacedPieces(message, () => setImmediate(() => void pieces.resume()))
  void pieces.resume()
}
