import { MAX_31_BITS } from '../frames/frames.ts'

/**
 * By how much the windows of streams differ from the initial one (RFC 9113 6.9.1):
 * what their client granted less what was sent. Only of streams that have begun and whose
 * answer is not whole: clients grant more for those that are over as well.
 */
export class SendWindows {
  readonly #balance = new Map<number, number>()

  begin(stream: number): void {
    this.#balance.set(stream, 0)
  }

  /** So many bytes that count were sent on a stream; `isLast`: nothing follows. */
  sent(stream: number, bytes: number, isLast: boolean): void {
    const balance = this.#balance.get(stream)
    if (balance === undefined) return
    if (isLast) this.#balance.delete(stream)
    else this.#balance.set(stream, balance - bytes)
  }

  /** The client grants more. False: the window would be larger than any can be. */
  grow(stream: number, bytes: number, initialBytes: number): boolean {
    const before = this.#balance.get(stream)
    if (before === undefined) return true
    this.#balance.set(stream, before + bytes)
    return initialBytes + before + bytes <= MAX_31_BITS
  }

  forget(stream: number): void {
    this.#balance.delete(stream)
  }
}
