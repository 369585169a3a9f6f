import {
  createWarmQueue,
  discoverHost,
  resolveWarmUrl,
  targetsAt,
  type WarmHost,
  type WarmHosts,
  type WarmQueue,
  warmSettings,
  type WarmTarget,
  warmTargetId,
  type WarmTime,
  whyNotWarmed,
} from '#edge-cache/index.ts'
import type { CacheConfig } from '#edge-cache/config.ts'
import { beginWarmRun } from '#handlers/management/begin-warm-run.ts'
import { QUEUE_FULL } from '#handlers/management/serve-warm.ts'
import type { WarmPort, WarmReport, WarmRun } from '#handlers/management/warm-port.ts'
import { normalizePathText } from '#handlers/sites/paths/request-path.ts'
import type { EdgeSite, EdgeSites } from '../sites/edge-site.ts'
import { type AskSite, fillPage, readDocument } from './fill-page.ts'

/** What goes on behind an answer is ended after 30 seconds. */
const ORDER_MS = 25_000
const LOOK_MS = 50
/** A request for a deterministic run is answered after this, done or not. */
const RUN_ANSWER_MS = 5000
/** Orders that are told of. */
const MAX_ORDERS = 16
const MAX_TARGETS_TOLD = 200

const TIME: WarmTime = {
  nowMs: () => Date.now(),
  after(delayMs, work) {
    const timer = setTimeout(work, delayMs)
    return () => clearTimeout(timer)
  },
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
const iso = (ms: number): string => new Date(ms).toISOString()

interface Order {
  trigger: string
  queue: WarmQueue
  finding: boolean
}

const warmHost = (site: EdgeSite, config: CacheConfig): WarmHost => ({
  domain: site.domain,
  aliases: site.aliases,
  suspended: false,
  cache: site.rule,
  schemes: site.redirectHttps ? 'https' : 'both',
  mobileVariant: site.rule.mobile_variant ?? config.mobile_variant,
})

const hostsOf = (sites: EdgeSites, config: CacheConfig): WarmHosts => ({
  find(name) {
    const site = sites.find(name)
    return site === null ? null : warmHost(site, config)
  },
  all: () => sites.all.map((site) => warmHost(site, config)),
  normalizePath: normalizePathText,
  isOwnPort: (port) => port === 80 || port === 443,
})

/**
 * Warms pages in the data centre that the order reached. Each order has a queue of its own, which
 * lives as long as its request may go on behind its answer: timers of one request are not another's.
 */
export const createEdgeWarm = (deps: {
  config: CacheConfig
  sites: EdgeSites
  ask: AskSite
  background(work: Promise<unknown>): void
}): WarmPort => {
  const { config, sites, ask, background } = deps
  const hosts = hostsOf(sites, config)
  const orders: Order[] = []
  let last: WarmRun | null = null

  const closed = (): string | null => {
    if (!config.enable) return 'The page cache is off (CACHE, "enable": false).'
    return config.warm_enabled ? null : 'Warming is off (CACHE, "warm_enabled": false).'
  }
  const begin = (trigger: string): Order => {
    const queue = createWarmQueue({
      settings: warmSettings(config),
      time: TIME,
      random: Math.random,
      fill: (target) => fillPage(ask, target),
      isLoaded: () => Promise.resolve(false),
    })
    const order = { trigger, queue, finding: false }
    orders.push(order)
    if (orders.length > MAX_ORDERS) orders.shift()
    return order
  }
  const untilDone = async ({ queue }: Order, finding: Promise<unknown>): Promise<void> => {
    const endMs = Date.now() + ORDER_MS
    let found = false
    void finding.finally(() => (found = true))
    const isBusy = (): boolean => {
      const { size, running } = queue.stats()
      return !found || size > 0 || running > 0
    }
    while (isBusy() && Date.now() < endMs) await pause(LOOK_MS)
    queue.stop()
  }
  const find = async (order: Order, domain: string | null): Promise<WarmRun> => {
    const run = beginWarmRun(order.trigger, Date.now())
    last = run
    order.finding = true
    try {
      const chosen = hosts.all().filter((host) => domain === null || host.domain === domain)
      for (const host of chosen.filter((one) => one.cache.enable)) {
        run.virtual_hosts++
        const pages = await discoverHost(host, hosts, {
          max: config.warm_batch_size,
          read: (target) => readDocument(ask, target),
        })
        const targets = pages
          .filter(({ path }) => whyNotWarmed(host, path) === null)
          .flatMap(({ host: name, path }) => targetsAt(host, name, path))
        const { queued, duplicates } = order.queue.submit(targets, order.trigger)
        run.queued += queued
        run.duplicates += duplicates
      }
    } finally {
      order.finding = false
      run.finished_at = iso(Date.now())
    }
    return run
  }

  const report = (): WarmReport => {
    const sum = { size: 0, running: 0, queued: 0, done: 0, failed: 0, retried: 0, skipped: 0 }
    const turned = { deduplicated: 0, rejected: 0 }
    for (const { queue } of orders) {
      const stats = queue.stats()
      for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += stats[key]
      turned.deduplicated += stats.deduplicated
      turned.rejected += stats.rejected
    }
    const { size, ...counters } = sum
    return {
      enabled: closed() === null,
      queue_size: size,
      queue_limit: config.warm_max_queue_size,
      ...counters,
      ...turned,
      paused: false,
      last_run: last && { ...last },
      next_run_at: null,
      targets: orders
        .flatMap(({ queue }) => queue.states())
        .slice(-MAX_TARGETS_TOLD)
        .map(({ target, changedAtMs, ...state }) => ({
          url: warmTargetId(target),
          ...state,
          changed_at: iso(changedAtMs),
        })),
    }
  }

  return {
    closed,
    report,
    async submit({ urls, domain, trigger, deterministic }) {
      const order = begin(trigger)
      const rejected: { url: string; reason: string }[] = []
      const targets: WarmTarget[] = []
      for (const url of urls) {
        const found = resolveWarmUrl(url, domain, hosts)
        if ('reason' in found) rejected.push({ url, reason: found.reason })
        else targets.push(...found.targets)
      }
      const submission = order.queue.submit(targets, trigger)
      let { queued, duplicates } = submission
      for (const target of submission.overflow)
        rejected.push({ url: warmTargetId(target), reason: QUEUE_FULL })
      const isForeign = deterministic && domain !== null && hosts.find(domain) === null
      if (isForeign) {
        const reason = `${domain} is no virtual host of this server`
        rejected.push({ url: domain, reason })
      }
      const finding = deterministic && !isForeign ? find(order, domain) : Promise.resolve(null)
      background(
        untilDone(
          order,
          finding.catch(() => null),
        ),
      )
      const size = (): number => order.queue.stats().size
      if (!deterministic || isForeign) return { queued, duplicates, rejected, queue_size: size() }
      const run = await Promise.race([finding, pause(RUN_ANSWER_MS).then(() => null)])
      queued += run?.queued ?? 0
      duplicates += run?.duplicates ?? 0
      const state = run === null ? 'running' : 'queued'
      return { queued, duplicates, rejected, queue_size: size(), deterministic: state }
    },
    tally(trigger) {
      const order = orders.findLast((one) => one.trigger === trigger)
      if (order === undefined) return null
      const { finding, queue } = order
      const none = { queued: 0, done: 0, skipped: 0, failed: 0, problems: [] }
      return { ...(queue.tally(trigger) ?? none), finding }
    },
  }
}
