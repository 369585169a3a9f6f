import {
  discoverHost,
  targetsAt,
  type WarmHost,
  type WarmHosts,
  type WarmQueue,
  type WarmTarget,
  whyNotWarmed,
} from '#edge-cache/index.ts'
import { beginWarmRun } from '#handlers/management/begin-warm-run.ts'
import type { WarmRun } from '#handlers/management/warm-port.ts'
import type { WarmDispatch } from './warm-dispatch.ts'

export interface WarmRunsDeps {
  queue: WarmQueue
  dispatch: WarmDispatch
  hosts(): WarmHosts
  /** Of `[cache]`, as they are now. */
  limits(): { batchSize: number; requestTimeoutMs: number; maxQueueSize: number }
  nowMs(): number
  onFault(domain: string, error: unknown): void
}

/** Deterministic runs: the pages worth warming of one or every virtual host; of each of these one run at a time. */
export interface WarmRuns {
  /** Resolves when all its targets are queued; joins a run that does the same. */
  run(trigger: string, domain: string | null): Promise<WarmRun>
  last(): WarmRun | null
  /** Whether a run under this trigger waits or still looks for pages. */
  isFinding(trigger: string): boolean
  stop(): void
}

const iso = (ms: number): string => new Date(ms).toISOString()

export const createWarmRuns = (deps: WarmRunsDeps): WarmRuns => {
  const { queue, dispatch } = deps
  const running = new Map<string, Promise<WarmRun>>()
  /** The latest run of each host, and of all under the empty name: a slow host holds up none but its own. */
  const turns = new Map<string, Promise<unknown>>()
  let last: WarmRun | null = null
  let stopped = false

  const discover = (host: WarmHost): Promise<WarmTarget[]> => {
    const { batchSize, requestTimeoutMs } = deps.limits()
    return discoverHost(host, deps.hosts(), {
      max: batchSize,
      read: (target) => queue.run(() => dispatch.read(target, requestTimeoutMs)),
    })
  }

  const warmHost = async (host: WarmHost, run: WarmRun): Promise<void> => {
    const pages = await discover(host)
    const targets = pages.flatMap(({ host: name, path }) => targetsAt(host, name, path))
    // In pieces that fit, so that a run never fills the queue to the brim for everybody else.
    const piece = Math.max(1, Math.min(64, deps.limits().maxQueueSize))
    for (let from = 0; from < targets.length && !stopped; from += piece) {
      const some = targets.slice(from, from + piece)
      await queue.roomFor(some.length)
      const { queued, duplicates } = queue.submit(some, run.trigger)
      run.queued += queued
      run.duplicates += duplicates
    }
  }

  const runNow = async (trigger: string, domain: string | null): Promise<WarmRun> => {
    const run = beginWarmRun(trigger, deps.nowMs())
    last = run
    const hosts = deps.hosts()
    const one = domain === null ? null : hosts.find(domain)
    const chosen = domain === null ? hosts.all() : one === null ? [] : [one]
    for (const host of chosen) {
      if (stopped) break
      if (whyNotWarmed(host, '/') !== null && (host.suspended || !host.cache.enable)) continue
      run.virtual_hosts++
      await warmHost(host, run).catch((error: unknown) => deps.onFault(host.domain, error))
    }
    run.finished_at = iso(deps.nowMs())
    return run
  }

  return {
    run(trigger, domain) {
      // Who follows a run by its trigger must not be given somebody else's.
      const scope = `${trigger} ${domain ?? ''}`
      const known = running.get(scope)
      if (known !== undefined) return known
      const turn = domain ?? ''
      const before = turns.get(turn) ?? Promise.resolve()
      const mine = before.then(() => runNow(trigger, domain)).finally(() => running.delete(scope))
      running.set(scope, mine)
      const over = mine
        .catch(() => undefined)
        .finally(() => {
          if (turns.get(turn) === over) turns.delete(turn)
        })
      turns.set(turn, over)
      return mine
    },
    last: () => last,
    isFinding: (trigger) => [...running.keys()].some((scope) => scope.startsWith(`${trigger} `)),
    stop() {
      stopped = true
    },
  }
}
