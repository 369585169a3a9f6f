import {
  createWarmQueue,
  createWarmSchedule,
  resolveWarmUrl,
  type WarmHost,
  type WarmHosts,
  type WarmOutcome,
  warmSettings,
  type WarmTarget,
  warmTargetId,
  type WarmTime,
  whyNotWarmed,
} from '#edge-cache/index.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { QUEUE_FULL } from '#handlers/management/serve-warm.ts'
import type { WarmPort, WarmReceipt, WarmRequest } from '#handlers/management/warm-port.ts'
import type { Log } from '#handlers/ports/log.ts'
import { createWarmDispatch, type WarmWorker } from './warm-dispatch.ts'
import { createWarmHosts } from './warm-hosts.ts'
import { warmReport } from './warm-report.ts'
import { createWarmRuns } from './warm-runs.ts'

/** A request for a deterministic run is answered after this, done or not. */
const RUN_ANSWER_MS = 10_000

/** How much of the queue's free room one order for one site may take: its owner is one of many. */
const SITE_SHARE = 0.5

const TIME: WarmTime = {
  nowMs: () => Date.now(),
  after: (delayMs, work) => {
    const timer = setTimeout(work, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** The warm queue of the web primary. */
export interface Warm {
  port: WarmPort
  /** Another configuration is in force. */
  configure(): void
  /** Pages were purged. */
  purged(): void
  stop(): void
}

/** The same hosts with all but one as if they were foreign. */
const onlyHost = (hosts: WarmHosts, domain: string): WarmHosts => {
  const mine = (host: WarmHost | null): boolean => host?.domain === domain
  return {
    ...hosts,
    find: (name) => {
      const found = hosts.find(name)
      return mine(found) ? found : null
    },
    all: () => hosts.all().filter(mine),
  }
}

const settled = (work: Promise<unknown>, timeoutMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), timeoutMs)
    const done = (): void => {
      clearTimeout(timer)
      resolve(true)
    }
    work.then(done, done)
  })

/** Builds queue, runs and schedule; nothing happens before `configure` but what the port is asked for. */
export const createWarm = (deps: {
  serving(): readonly WarmWorker[]
  alive(): readonly WarmWorker[]
  config(): ServerConfig
  log: Log
}): Warm => {
  const { config, log } = deps
  const dispatch = createWarmDispatch(deps)
  let known: { config: ServerConfig; hosts: WarmHosts } | null = null
  const hosts = (): WarmHosts => {
    if (known?.config !== config()) known = { config: config(), hosts: createWarmHosts(config()) }
    return known.hosts
  }
  const closed = (): string | null => {
    const { enable, warm_enabled } = config().cache
    if (!enable) {
      return 'The page cache is off (cache.enable = false). Set it to true and reload to warm pages.'
    }
    if (!warm_enabled) {
      return 'Warming is off (cache.warm_enabled = false). Set it to true and reload.'
    }
    return null
  }
  /** Judged again when its turn comes: the configuration may be another. */
  const fill = async (target: WarmTarget): Promise<WarmOutcome> => {
    if (closed() !== null) return { kind: 'skipped', reason: 'warming is off' }
    const host = hosts().find(target.host)
    const problem =
      host === null ? `${target.host} is no virtual host any more` : whyNotWarmed(host, target.path)
    if (problem !== null) return { kind: 'skipped', reason: problem }
    return dispatch.fill(target)
  }
  const queue = createWarmQueue({
    settings: warmSettings(config().cache),
    time: TIME,
    random: Math.random,
    fill,
    isLoaded: () => dispatch.isLoaded(),
  })
  const runs = createWarmRuns({
    queue,
    dispatch,
    hosts,
    limits: () => ({
      batchSize: config().cache.warm_batch_size,
      requestTimeoutMs: config().cache.warm_request_timeout_ms,
      maxQueueSize: config().cache.warm_max_queue_size,
    }),
    nowMs: TIME.nowMs,
    onFault: (domain, error) =>
      log.warn('the pages to warm could not be found', { domain, error: String(error) }),
  })
  const schedule = createWarmSchedule({ time: TIME, run: () => runs.run('schedule', null) })

  const submit = async (request: WarmRequest): Promise<WarmReceipt> => {
    const rejected: WarmReceipt['rejected'] = []
    const targets: WarmTarget[] = []
    const asked = new Map<string, string>()
    const allowed = request.only === undefined ? hosts() : onlyHost(hosts(), request.only)
    for (const url of request.urls) {
      const found = resolveWarmUrl(url, request.domain, allowed)
      if ('reason' in found) rejected.push({ url, reason: found.reason })
      else {
        targets.push(...found.targets)
        for (const target of found.targets) asked.set(warmTargetId(target), url)
      }
    }
    const share = request.only === undefined ? 1 : SITE_SHARE
    const submission = queue.submit(targets, request.trigger, share)
    let { queued, duplicates } = submission
    for (const target of submission.overflow) {
      const id = warmTargetId(target)
      const given = asked.get(id)
      // A bare path may mean many: the one that found no room is named in full.
      const url = given === undefined || given.startsWith('/') ? id : given
      rejected.push({ url, reason: QUEUE_FULL })
    }
    if (!request.deterministic) {
      return { queued, duplicates, rejected, queue_size: queue.stats().size }
    }
    if (request.domain !== null && hosts().find(request.domain) === null) {
      const reason = request.domain.startsWith('*')
        ? `${request.domain} stands for many names: give addresses of pages`
        : `${request.domain} is no virtual host of this server`
      rejected.push({ url: request.domain, reason })
      return { queued, duplicates, rejected, queue_size: queue.stats().size }
    }
    const run = runs.run(request.trigger, request.domain)
    const done = await settled(run, RUN_ANSWER_MS)
    const latest = runs.last()
    const progress = done ? await run : latest?.trigger === request.trigger ? latest : null
    queued += progress?.queued ?? 0
    duplicates += progress?.duplicates ?? 0
    return {
      queued,
      duplicates,
      rejected,
      queue_size: queue.stats().size,
      deterministic: done ? 'queued' : 'running',
    }
  }

  const configure = (): void => {
    const { cache } = config()
    queue.configure(warmSettings(cache))
    schedule.configure(closed() === null ? cache.warm_schedule_secs : 0)
  }
  return {
    port: {
      closed,
      submit,
      report: () => warmReport(config().cache, { queue, runs, schedule }),
      tally: (trigger) => {
        const tally = queue.tally(trigger)
        const finding = runs.isFinding(trigger)
        if (tally !== null) return { ...tally, finding }
        return finding ? { queued: 0, done: 0, skipped: 0, failed: 0, problems: [], finding } : null
      },
    },
    configure,
    purged: () => queue.forgetWarmed(),
    stop() {
      schedule.stop()
      runs.stop()
      queue.stop()
    },
  }
}
