import type { ProxyRule, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { UpstreamState } from '#handlers/management/upstream-state.ts'
import type { UpstreamFault } from './upstream-error.ts'

/** First pause of an upstream that failed; each further one is twice as long, up to `back_off_secs`. */
const FIRST_PAUSE_MS = 1000
/** Requests in a row that one may leave without an answer: a single slow address is no reason to leave it alone. */
const MAX_UNANSWERED = 3
/** Questions after its health in a row that it may fail. */
const MAX_UNFIT = 2

/** One address of an application, and how it fares. */
export interface Upstream {
  /** The application's rule, as if this were its only address. */
  readonly rule: ProxyRule
  readonly weight: number
  /** Requests under way. */
  active: number
  requests: number
  failures: number
  /** Requests in a row without an answer. */
  unanswered: number
  /** Until when it is left alone; 0: it is not. */
  outUntilMs: number
  pauseMs: number
  /** After its pause one request alone tries whether it is back. */
  isTried: boolean
  /** Questions after its health in a row that failed. */
  unfit: number
  /** Of the smooth weighted round robin. */
  credit: number
}

const isUp = ({ outUntilMs, unfit }: Upstream): boolean => outUntilMs === 0 && unfit < MAX_UNFIT

/**
 * The addresses of one application, as one worker sees them. A request goes to the one with the
 * fewest under way for its weight, because requests differ in how long they take and what is slow
 * gets fewer by itself; among equals the smooth weighted round robin decides.
 */
export class UpstreamPool {
  readonly all: readonly Upstream[]
  /** As it is configured now. */
  vhost: VirtualHostConfig
  readonly rule: ProxyRule
  readonly #maxPauseMs: number
  readonly #nowMs: () => number

  constructor(vhost: VirtualHostConfig, rule: ProxyRule, nowMs = () => performance.now()) {
    this.vhost = vhost
    this.rule = rule
    this.#nowMs = nowMs
    this.#maxPauseMs = (rule.back_off_secs ?? 10) * 1000
    this.all = (rule.upstreams ?? []).map(({ upstream, weight }) => ({
      rule: { ...rule, upstream },
      weight,
      ...{ active: 0, requests: 0, failures: 0, unanswered: 0, outUntilMs: 0, pauseMs: 0 },
      ...{ isTried: false, unfit: 0, credit: 0 },
    }))
  }

  /**
   * Which one is asked next, of those that were not `tried` for this request; its `settle` must
   * follow. Where none is up the one whose pause ends first is asked, as if it were the only one.
   * Null: all were tried.
   */
  take(tried: readonly Upstream[]): Upstream | null {
    const nowMs = this.#nowMs()
    const isFree = (one: Upstream): boolean =>
      !tried.includes(one) &&
      one.unfit < MAX_UNFIT &&
      (one.outUntilMs === 0 || (!one.isTried && nowMs >= one.outUntilMs))
    let least = Infinity
    let last: Upstream | null = null
    for (const one of this.all) {
      if (isFree(one)) least = Math.min(least, one.active / one.weight)
      else if (!tried.includes(one) && one.outUntilMs < (last?.outUntilMs ?? Infinity)) last = one
    }
    let chosen: Upstream | null = null
    let sum = 0
    for (const one of this.all) {
      if (one.active / one.weight !== least || !isFree(one)) continue
      sum += one.weight
      one.credit += one.weight
      if (chosen === null || one.credit > chosen.credit) chosen = one
    }
    if (chosen !== null) chosen.credit -= sum
    const taken = chosen ?? last
    if (taken === null) return null
    if (taken.outUntilMs > 0) taken.isTried = true
    taken.active++
    taken.requests++
    return taken
  }

  /** A request is over, and with it what it was counted for. */
  settle(one: Upstream): void {
    one.active--
  }

  /** It gave an answer, whatever the status. */
  answered(one: Upstream): void {
    one.unanswered = 0
    one.isTried = false
    one.outUntilMs = 0
    one.pauseMs = 0
  }

  /** Nothing was learned of it: the client left, or the fault was another's. */
  unknown(one: Upstream): void {
    one.isTried = false
  }

  /** All are new: what was known of them counts no more. */
  renew(): void {
    for (const one of this.all) {
      one.unfit = 0
      this.answered(one)
    }
  }

  /** It failed a request. */
  failed(one: Upstream, fault: UpstreamFault): void {
    const nowMs = this.#nowMs()
    const wasOut = one.outUntilMs > 0
    one.failures++
    one.isTried = false
    if (fault !== 'unreachable' && ++one.unanswered < MAX_UNANSWERED && !wasOut) return
    // Requests that fail together are one failure.
    if (wasOut && nowMs < one.outUntilMs) return
    one.pauseMs = Math.min(this.#maxPauseMs, one.pauseMs === 0 ? FIRST_PAUSE_MS : one.pauseMs * 2)
    one.outUntilMs = nowMs + one.pauseMs
  }

  /** What it said when it was asked after its health. */
  checked(one: Upstream, isFit: boolean): void {
    if (!isFit) {
      one.unfit = Math.min(MAX_UNFIT, one.unfit + 1)
      return
    }
    one.unfit = 0
    this.answered(one)
  }

  states(): UpstreamState[] {
    return this.all.map((one) => ({
      domain: this.vhost.domain,
      upstream: one.rule.upstream,
      weight: one.weight,
      workers: 1,
      up: isUp(one) ? 1 : 0,
      active: one.active,
      requests: one.requests,
      failures: one.failures,
    }))
  }
}
