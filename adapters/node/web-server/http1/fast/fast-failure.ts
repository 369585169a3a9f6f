import { hitEnding } from '../../log/access-log.ts'
import type { HttpClock } from '../http-clock.ts'
import { buildResponse, type FastResponse } from '../write/wire-response.ts'
import type { WholeResponse } from '../write/write-file.ts'

/**
 * A 404 that is the same for many requests, ready to be given again. It is built when
 * the second changed (Date), into new buffers, since a socket may still hold the old.
 */
export class FastFailure {
  /** Value of Cache-Status; null where the response has none. */
  readonly cacheStatus: string | null
  /** See `hitEnding`. */
  readonly logEnding: Uint8Array
  readonly #answer: WholeResponse
  #second = 0
  #get: FastResponse | null = null
  #head: FastResponse | null = null

  constructor(answer: WholeResponse) {
    this.#answer = answer
    const value = (name: string): string | null =>
      answer.fields.find(([one]) => one === name)?.[1] ?? null
    this.cacheStatus = value('cache-status')
    this.logEnding = hitEnding(value('x-cache'))
  }

  /** For HTTP/1.1. `isHead`: without its body. */
  answer(isHead: boolean, clock: HttpClock): FastResponse {
    if (this.#second !== clock.second) {
      this.#second = clock.second
      this.#get = null
      this.#head = null
    }
    if (isHead) return (this.#head ??= this.#build(null, clock))
    return (this.#get ??= this.#build(this.#answer.body, clock))
  }

  #build(body: Buffer | null, clock: HttpClock): FastResponse {
    let head = 'HTTP/1.1 404 Not Found\r\n'
    for (const [name, value] of this.#answer.fields) head += `${name}: ${value}\r\n`
    head += `date: ${clock.httpDate}\r\ncontent-length: ${this.#answer.body.length}\r\n\r\n`
    return buildResponse(head, body)
  }
}
