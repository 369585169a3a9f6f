import type { FieldResponse } from '../../http1/fast/fast-responses.ts'
import type { ConnectionFacts } from '../../http1/slow/site-context-of.ts'
import { logTail } from '../../log/access-log.ts'
import { Visitor } from '../../figures/visitor.ts'
import type { AuthorityJudge } from '../streams/authority-judge.ts'
import { findStreamResponse, recordHit, type FoundResponse } from './find-stream-response.ts'
import { fitsFrame } from './fast-frames.ts'
import type { Http2Services } from '../http2-services.ts'
import { SLICE_BYTES } from '../frames/slice-bytes.ts'
import { StreamHead } from '../streams/stream-head.ts'
import { isWellFormed } from '../streams/well-formed.ts'

/** Verdicts that may wait for their streams; the session refuses some of those. */
const MAX_VERDICTS = 256

/** Who asks, as the access log has it (`logTail`) and as figures do. */
interface Who {
  tail: string
  visitor: Visitor
  forwarded: string | null
}

const whoAsks = (visitor: Visitor, forwarded: string | null): Who => ({
  tail: logTail(visitor.referer, visitor.agent, visitor.host),
  visitor,
  forwarded,
})

/** Requests of one connection for which a response may be ready. */
export class FastRequests {
  readonly #facts: ConnectionFacts
  readonly #services: Http2Services
  readonly #authorities: AuthorityJudge
  /** By the stream's number, what was found before the session heard of it. */
  readonly #verdicts = new Map<number, FoundResponse | null>()
  #fields: readonly string[] | null = null
  #head: StreamHead | null = null
  #who: Who

  constructor(facts: ConnectionFacts, services: Http2Services, authorities: AuthorityJudge) {
    this.#facts = facts
    this.#services = services
    this.#authorities = authorities
    this.#who = whoAsks(new Visitor('', facts.clientAddress, null, null, () => null), null)
  }

  /**
   * The response that may be sent beside the session, counted and logged; null: the
   * request is the session's, which finds with `find` what is known of it.
   */
  answer(stream: number, fields: readonly string[], roomBytes: number): FieldResponse | null {
    const head = this.#headOf(fields)
    if (head === null) return null
    const { host, misdirected } = this.#authorities.judge(head.target)
    if (misdirected || host === '') return null
    const found = findStreamResponse(head, host, this.#facts, this.#services)
    const bodyBytes = found?.answer.body?.byteLength ?? 0
    const isSent = bodyBytes <= Math.min(roomBytes, SLICE_BYTES)
    if (found === null || !isSent || !fitsFrame(found.answer)) {
      if (this.#verdicts.size >= MAX_VERDICTS) this.#verdicts.clear()
      this.#verdicts.set(stream, found)
      return null
    }
    this.#services.counters.requests++
    this.record(found, head, host)
    return found.answer
  }

  /** The ready answer to a request that has reached the session. */
  find(stream: number, head: StreamHead, host: string): FoundResponse | null {
    const known = this.#verdicts.get(stream)
    this.#verdicts.delete(stream)
    if (known !== undefined) return known
    return findStreamResponse(head, host, this.#facts, this.#services)
  }

  /** Counts and logs a response that was found. */
  record(found: FoundResponse, head: StreamHead, host: string): void {
    recordHit(found, head, { host, ...this.whoAsks(head, host) }, this.#services)
  }

  /** What log and figures have of the visitor; a connection mostly repeats it. */
  whoAsks({ referer, agent, forwarded }: StreamHead, host: string): Who {
    const { visitor, forwarded: before } = this.#who
    const isSame = visitor.referer === referer && visitor.agent === agent && visitor.host === host
    if (isSame && before === forwarded) return this.#who
    const next =
      before === forwarded
        ? visitor.next(host, agent, referer)
        : new Visitor(host, visitor.address, agent, referer, () => forwarded)
    return (this.#who = whoAsks(next, forwarded))
  }

  #headOf(fields: readonly string[]): StreamHead | null {
    if (fields === this.#fields) return this.#head
    this.#fields = fields
    return (this.#head = isWellFormed(fields) ? new StreamHead(fields) : null)
  }
}
