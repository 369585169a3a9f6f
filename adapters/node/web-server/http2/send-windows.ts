import { MAX_31_BITS } from './frames.ts'

/**
 * By how much the windows of streams differ from the initial one (RFC 9113 6.9.1):
 * what their client granted less what was sent. Only of streams whose answer is not whole.
 */
export class SendWindows {
  readonly #balance = new Map<number, number>()

  /** DATA was sent on a stream; `isLast`: nothing follows. */
  sent(stream: number, bytes: number, isLast: boolean): void {
    if (isLast) this.#balance.delete(stream)
    else this.#balance.set(stream, (this.#balance.get(stream) ?? 0) - bytes)
  }

  /** The client grants more. False: the window would be larger than any can be. */
  grow(stream: number, bytes: number, initialBytes: number): boolean {
    const balance = (this.#balance.get(stream) ?? 0) + bytes
    this.#balance.set(stream, balance)
    return initialBytes + balance <= MAX_31_BITS
  }

  forget(stream: number): void {
    this.#balance.delete(stream)
  }
}
