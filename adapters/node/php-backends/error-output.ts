/** Where it goes. */
export type WritePhpError = (domain: string, message: string) => void

/** A script can write without end; the log gets the beginning. */
const MAX_LOGGED_BYTES = 8 * 1024
const FATAL = /PHP (?:Fatal|Parse|Compile|Core) error/
/** Longer than any text that FATAL matches. */
const OVERLAP = 24

/** What PHP writes to its standard error during one request. A class for the reason of `ResponseBody`. */
export class ErrorOutput {
  readonly #write: WritePhpError
  readonly #domain: string
  #text = ''
  #tail = ''
  #fatal = false

  constructor(write: WritePhpError, domain: string) {
    this.#write = write
    this.#domain = domain
  }

  /** Whether the script died of an error. */
  get fatal(): boolean {
    return this.#fatal
  }

  push(piece: Buffer): void {
    const more = piece.toString('latin1')
    if (!this.#fatal) this.#fatal = FATAL.test(this.#tail + more)
    this.#tail = (this.#tail + more).slice(-OVERLAP)
    if (this.#text.length < MAX_LOGGED_BYTES)
      this.#text += more.slice(0, MAX_LOGGED_BYTES - this.#text.length)
  }

  /** Writes what was gathered to the log. */
  flush(): void {
    if (this.#text === '') return
    const message = Buffer.from(this.#text, 'latin1').toString('utf8').trim()
    if (message !== '') this.#write(this.#domain, message)
    this.#text = ''
  }
}
