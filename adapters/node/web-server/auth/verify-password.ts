import { createHmac, randomBytes } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import type { RuleFiles } from '#handlers/sites/rule-files.ts'
import { compileCacheEnv } from '../../process/compile-cache-env.ts'

interface Check {
  password: string
  hash: string
  done(matches: boolean): void
  failed(error: unknown): void
}

/** Browsers send the password with every request; the work is done once in a while. */
const REMEMBER_MS = 60_000
const MAX_REMEMBERED = 5000
const MAX_WAITING_PER_SITE = 16
const IDLE_MS = 30_000

/**
 * Checks passwords in a thread of its own, one at a time and in turns between
 * sites, because a good hash takes long on purpose. Rejects with `OriginError` 503
 * when too many of a site wait.
 */
export const createPasswordCheck = (): RuleFiles['verifyPassword'] => {
  const secret = randomBytes(32)
  const remembered = new Map<string, { matches: boolean; untilMs: number }>()
  const waiting = new Map<string, Check[]>()
  let thread: Worker | null = null
  let running: Check | null = null
  let idle: NodeJS.Timeout | null = null

  const stop = (): void => {
    void thread?.terminate()
    thread = null
  }
  const settle = (outcome: boolean | Error): void => {
    const check = running
    running = null
    if (typeof outcome === 'boolean') check?.done(outcome)
    else check?.failed(new OriginError(503, 'the password cannot be checked', outcome))
    startNext()
  }
  const threadOf = (): Worker => {
    if (thread) return thread
    const started = new Worker(new URL('./password-thread.ts', import.meta.url), {
      env: compileCacheEnv(),
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    })
    started.unref()
    started.on('message', ({ matches }: { matches: boolean }) => settle(matches))
    started.on('error', (error) => {
      if (thread !== started) return
      thread = null
      settle(error instanceof Error ? error : new Error(String(error)))
    })
    return (thread = started)
  }
  const startNext = (): void => {
    if (running) return
    const next = waiting.entries().next().value
    if (idle) clearTimeout(idle)
    if (!next) {
      idle = setTimeout(stop, IDLE_MS).unref()
      return
    }
    const [site, checks] = next
    waiting.delete(site)
    running = checks.shift() ?? null
    // Behind the others, so that every site has its turn.
    if (checks.length > 0) waiting.set(site, checks)
    if (running) threadOf().postMessage({ password: running.password, hash: running.hash })
  }

  return async (site, password, hash) => {
    const key = createHmac('sha256', secret)
      .update(JSON.stringify([site, password, hash]))
      .digest('base64')
    const known = remembered.get(key)
    if (known && known.untilMs > performance.now()) return known.matches
    const matches = await new Promise<boolean>((done, failed) => {
      const checks = waiting.get(site) ?? []
      if (checks.length >= MAX_WAITING_PER_SITE) {
        throw new OriginError(503, 'too many passwords of the site wait to be checked')
      }
      checks.push({ password, hash, done, failed })
      waiting.set(site, checks)
      startNext()
    })
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(key, { matches, untilMs: performance.now() + REMEMBER_MS })
    return matches
  }
}
