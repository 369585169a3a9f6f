const CR = 13
const LF = 10
const NUL = 0

/**
 * Makes every line of a message end with CRLF, in one pass over each piece: a lone CR or LF
 * could be a line's end to one server and none to the next, and what is behind it another
 * message (SMTP smuggling). NUL is left out.
 */
export class LineEnds {
  #afterCr = false

  /** The piece with its line ends. */
  push(piece: Uint8Array): Buffer {
    const out = Buffer.allocUnsafe(piece.length * 2 + 1)
    let length = 0
    for (const byte of piece) {
      if (this.#afterCr && byte === LF) {
        this.#afterCr = false
        continue
      }
      this.#afterCr = byte === CR
      if (byte === CR || byte === LF) {
        out[length] = CR
        out[length + 1] = LF
        length += 2
      } else if (byte !== NUL) {
        out[length] = byte
        length += 1
      }
    }
    return out.subarray(0, length)
  }
}
