import { boundedMemo } from '../../../edge-cache/index.ts'
import type { VirtualHostConfig } from '../../domain/config/config-types.ts'
import { countedAddress } from '../../domain/text/client-address.ts'
import type { RateLimit } from '../../ports/host/site-settings.ts'
import { isInBlocks, readAddress } from '../rewrite/pattern/match-address.ts'
import { compileGuard } from './compiled-guard.ts'
import { LimitMeter } from './limit-meter.ts'

/** Requests of an address within the limit of a path. */
export type UsedRequests = readonly [path: string, address: string, count: number]

/** What a worker tells the others, by the site's primary domain. */
export type UsedBySites = Record<string, UsedRequests[]>

/** What was counted for a request. */
export interface CountedRequest {
  limits: readonly LimitMeter[]
  address: string
}

interface Site {
  rules: readonly RateLimit[]
  limits: LimitMeter[]
}

/** Addresses that all limits remember together. */
const MAX_LEVELS = 200_000

const NOT_COUNTED: CountedRequest = { limits: [], address: '' }

/** The list is as long as the configuration lets it be, and looked through once. */
const unbounded = () => ({ left: Number.POSITIVE_INFINITY })

const isExempt = ({ guard }: VirtualHostConfig, client: string): boolean =>
  guard !== undefined &&
  guard.rate_limits.allow.length > 0 &&
  isInBlocks(readAddress(client), compileGuard(guard).unlimited, unbounded())

const sizeOf = ({ limits }: Site): number => limits.reduce((sum, { size }) => sum + size, 0)

/**
 * Counts requests at sites with limits, by address. Each worker counts its own and hears of
 * the others' in steps (see `LimitMeter`), so over all workers an address gets no more than
 * the limit, an eighth of `burst` (one request for each further worker, where that is more),
 * and what is let through during one message between processes. Nothing outlives a worker.
 */
export class RequestMeter {
  readonly #sites = new Map<string, Site>()
  readonly #workers: number
  readonly #nowMs: () => number
  readonly #tell: ((used: UsedBySites) => void) | null
  readonly #customerOf = boundedMemo(countedAddress, { maxTexts: 1000, maxLength: 64 })
  #untold: UsedBySites | null = null
  #size = 0

  /** `tell` is handed what other workers should know, soon after the call. Default: there are none. */
  constructor(
    options: { workers?: number; nowMs?: () => number; tell?: (used: UsedBySites) => void } = {},
  ) {
    this.#workers = options.tell === undefined ? 1 : (options.workers ?? 1)
    this.#nowMs = options.nowMs ?? (() => performance.now())
    this.#tell = options.tell ?? null
  }

  /** Addresses that are remembered, counted again for each limit. */
  get size(): number {
    return this.#size
  }

  /**
   * Counts a request of `client` at a path. `isHit`: it is about to be answered from memory.
   * Answers what was counted, or the seconds until it may be asked again.
   */
  take(
    vhost: VirtualHostConfig,
    path: string,
    client: string,
    isHit: boolean,
  ): CountedRequest | number {
    const { guard, domain } = vhost
    if (guard === undefined || guard.rate_limits.rules.length === 0) return NOT_COUNTED
    const all = this.#limitsOf(domain, guard.rate_limits.rules)
    const limits = all.filter((one) => (one.limit.count_hits || !isHit) && one.isFor(path))
    if (limits.length === 0 || isExempt(vhost, client)) return NOT_COUNTED
    const nowMs = this.#nowMs()
    const address = client.includes(':') ? this.#customerOf(client) : client
    let waitMs = 0
    for (const one of limits) waitMs = Math.max(waitMs, one.waitMs(address, nowMs))
    if (waitMs > 0) return Math.max(1, Math.ceil(waitMs / 1000))
    for (const one of limits) {
      const before = one.size
      const untold = one.count(address, nowMs)
      if (untold > 0) this.#note(domain, [one.limit.path, address, untold])
      this.#size += one.size - before
    }
    if (this.#size > MAX_LEVELS) this.#makeRoom()
    return { limits, address }
  }

  /** Takes back what was counted, for limits that hits do not count for: it was one. */
  wasHit({ limits, address }: CountedRequest): void {
    for (const one of limits) if (!one.limit.count_hits) one.giveBack(address)
  }

  /** Takes what other workers have let through. `find` answers the virtual host of a name. */
  hear(used: UsedBySites, find: (domain: string) => VirtualHostConfig | null): void {
    const nowMs = this.#nowMs()
    for (const [domain, requests] of Object.entries(used)) {
      const limits = this.#limitsOf(domain, find(domain)?.guard?.rate_limits.rules ?? [])
      for (const [path, address, count] of requests) {
        const limit = limits.find((one) => one.limit.path === path)
        const before = limit?.size ?? 0
        limit?.add(address, count, nowMs)
        this.#size += (limit?.size ?? 0) - before
      }
    }
    if (this.#size > MAX_LEVELS) this.#makeRoom()
  }

  /** Another configuration with the same limits goes on counting. */
  #limitsOf(domain: string, rules: readonly RateLimit[]): readonly LimitMeter[] {
    const known = this.#sites.get(domain)
    if (known?.rules === rules) return known.limits
    if (known !== undefined) {
      if (JSON.stringify(known.rules) === JSON.stringify(rules)) {
        known.rules = rules
        return known.limits
      }
      this.#size -= sizeOf(known)
      this.#sites.delete(domain)
    }
    if (rules.length === 0) return []
    const limits = rules.map((rule) => new LimitMeter(rule, this.#workers))
    this.#sites.set(domain, { rules, limits })
    return limits
  }

  #note(domain: string, used: UsedRequests): void {
    if (this.#untold === null) {
      this.#untold = {}
      queueMicrotask(() => {
        const untold = this.#untold ?? {}
        this.#untold = null
        this.#tell?.(untold)
      })
    }
    const all = (this.#untold[domain] ??= [])
    all.push(used)
  }

  /** Sites with more than their part lose what was not asked for longest. */
  #makeRoom(): void {
    const share = MAX_LEVELS / (2 * this.#sites.size)
    this.#size = 0
    for (const [domain, site] of this.#sites) {
      if (sizeOf(site) > share) for (const limit of site.limits) limit.forget()
      const left = sizeOf(site)
      if (left === 0) this.#sites.delete(domain)
      this.#size += left
    }
  }
}
