import type { Socket } from 'node:net'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import type { ProxyRule } from '#handlers/domain/config/config-types.ts'
import type { Answered } from '../ask-upstream.ts'
import { UpstreamError } from './upstream-error.ts'
import type { Upstream, UpstreamPool } from './upstream-pool.ts'

/** One request, in the ways in which one address can be asked. */
export interface Asking {
  /** Whether it may be sent to another address although one may have seen it. */
  repeatable: boolean
  signal: AbortSignal
  /** Sends it, on `ready` where that is given. Rejects with `OriginError`. */
  ask(rule: ProxyRule, ready: Socket | null): Promise<Answered>
  /** A connection that stands. Rejects with `OriginError`. */
  connect(rule: ProxyRule): Promise<Socket>
}

/** Once only: a request that makes applications end must not end them all. */
const MAX_REPEATS = 1

/**
 * Asks one of several addresses. Where no connection to it comes to stand the next is asked, whatever
 * the request, as it has reached nobody; one that may be repeated is also sent to another when the
 * first closed the connection without an answer. Rejects with the `OriginError` of the last.
 */
export const askOneOf = async (pool: UpstreamPool, asking: Asking): Promise<Answered> => {
  // One that does not take connections costs its whole time; another is tried after it, not all.
  const endMs = performance.now() + 2 * pool.rule.connect_timeout_secs * 1000
  const tried: Upstream[] = []
  let repeats = 0
  for (;;) {
    const one = pool.take(tried)
    if (one === null) throw new OriginError(502, 'the application has no address')
    tried.push(one)
    try {
      // A body is read once, so the connection comes before it.
      const ready = asking.repeatable ? null : await asking.connect(one.rule)
      const answered = await asking.ask(one.rule, ready)
      pool.answered(one)
      const ends = answered.kind === 'switched' ? answered.connection : answered.answer
      if (ends.closed) pool.settle(one)
      else ends.once('close', () => pool.settle(one))
      return answered
    } catch (error) {
      pool.settle(one)
      if (!(error instanceof UpstreamError)) {
        pool.unknown(one)
        throw error
      }
      pool.failed(one, error.fault)
      const isForAnother =
        error.fault === 'unreachable' ||
        (error.fault === 'broken' && asking.repeatable && repeats++ < MAX_REPEATS)
      if (!isForAnother || tried.length === pool.all.length) throw error
      if (asking.signal.aborted || performance.now() >= endMs) throw error
    }
  }
}
