import type { Socket } from 'node:net'
import { parseProxyUpstream } from '#handlers/domain/upstreams/proxy-upstream.ts'
import type { ProxyRule, VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import { askUpstream } from '../ask-upstream.ts'
import { authorityOf } from './authority-of.ts'
import type { Upstream, UpstreamPool } from './upstream-pool.ts'

/** How often is looked which addresses are due. */
const ROUND_MS = 500
/** An address that takes longer to say how it is does not do well. */
const PATIENCE_MS = 5000
/** Questions under way of one worker. */
const MAX_UNDER_WAY = 32
/** Of them those of one account, or of one host without: who has many that are silent holds up nobody else. */
const MAX_OF_ONE = 4

const ownerOf = ({ vhost }: UpstreamPool): string => vhost.username ?? `of ${vhost.domain}`

/** Asks addresses after their health, where their application has a path for that. */
export interface HealthChecks {
  /** Begins and stops as there is something to ask. */
  review(): void
}

/** `connect`: begins a connection to the address of a rule. */
export const createHealthChecks = (
  pools: () => Iterable<UpstreamPool>,
  connect: (vhost: VirtualHostConfig, rule: ProxyRule) => Socket,
): HealthChecks => {
  const underWay = new Map<Upstream, string>()
  const dueMs = new WeakMap<Upstream, number>()
  let timer: NodeJS.Timeout | null = null

  const isFit = async ({ vhost }: UpstreamPool, { rule }: Upstream): Promise<boolean> => {
    const target = parseProxyUpstream(rule.upstream)
    if (typeof target === 'string') return false
    try {
      const answered = await askUpstream({
        options: {
          method: 'GET',
          path: rule.health_path ?? '/',
          headers: {
            host: rule.preserve_host ? vhost.domain : authorityOf(target),
            'user-agent': 'Berth-Health',
            connection: 'close',
          },
          createConnection: () => connect(vhost, rule),
        },
        secure: false,
        agent: null,
        body: null,
        bodyBytes: null,
        expectsContinue: false,
        connectMs: Math.min(PATIENCE_MS, rule.connect_timeout_secs * 1000),
        answerMs: PATIENCE_MS,
        signal: new AbortController().signal,
        onEarlyHints: () => undefined,
      })
      if (answered.kind === 'switched') {
        answered.connection.destroy()
        return false
      }
      const { answer, outgoing } = answered
      answer.on('error', () => undefined)
      outgoing.destroy()
      return (answer.statusCode ?? 500) < 400
    } catch {
      return false
    }
  }

  const countOf = (owner: string): number =>
    [...underWay.values()].filter((one) => one === owner).length

  const check = async (pool: UpstreamPool, one: Upstream): Promise<void> => {
    underWay.set(one, ownerOf(pool))
    try {
      pool.checked(one, await isFit(pool, one))
    } finally {
      underWay.delete(one)
    }
  }

  const round = (): void => {
    const nowMs = performance.now()
    for (const pool of pools()) {
      const { health_path: path, health_interval_secs: secs = 5 } = pool.rule
      if (path === undefined || pool.vhost.suspended || pool.vhost.over_bandwidth) continue
      for (const one of pool.all) {
        if (underWay.has(one) || nowMs < (dueMs.get(one) ?? 0)) continue
        if (underWay.size >= MAX_UNDER_WAY) return
        if (countOf(ownerOf(pool)) >= MAX_OF_ONE) break
        dueMs.set(one, nowMs + secs * 1000)
        void check(pool, one)
      }
    }
  }

  return {
    review: () => {
      let isNeeded = false
      for (const { rule } of pools()) isNeeded ||= rule.health_path !== undefined
      if (isNeeded && timer === null) {
        timer = setInterval(round, ROUND_MS).unref()
        round()
      } else if (!isNeeded && timer !== null) {
        clearInterval(timer)
        timer = null
      }
    },
  }
}
