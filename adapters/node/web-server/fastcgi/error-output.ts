/** Where it goes. */
export type WritePhpError = (domain: string, message: string) => void

/** What PHP writes to its standard error during one request. */
export interface ErrorOutput {
  push(piece: Buffer): void
  /** Whether the script died of an error. */
  readonly fatal: boolean
  /** Writes what was gathered to the log. */
  flush(): void
}

/** A script can write without end; the log gets the beginning. */
const MAX_LOGGED_BYTES = 8 * 1024
const FATAL = /PHP (?:Fatal|Parse|Compile|Core) error/
/** Longer than any text that FATAL matches. */
const OVERLAP = 24

export const createErrorOutput = (write: WritePhpError, domain: string): ErrorOutput => {
  let text = ''
  let tail = ''
  let fatal = false
  return {
    push(piece) {
      const more = piece.toString('latin1')
      if (!fatal) fatal = FATAL.test(tail + more)
      tail = (tail + more).slice(-OVERLAP)
      if (text.length < MAX_LOGGED_BYTES) text += more.slice(0, MAX_LOGGED_BYTES - text.length)
    },
    get fatal() {
      return fatal
    },
    flush() {
      const message = Buffer.from(text, 'latin1').toString('utf8').trim()
      if (message !== '') write(domain, message)
      text = ''
    },
  }
}
