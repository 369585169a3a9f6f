import type { VirtualHostConfig } from '../../../domain/config/config-types.ts'
import { OriginError } from '../../origins/php-origin.ts'

/** Steps of patterns and of reading rules per virtual host and second: a fifth of a second's work or so. */
const STEPS_PER_SEC = 4_000_000

/** What the rules of each virtual host may cost. */
export interface RuleBudget {
  /** What is left of the site's share of this second; negative when it is used up. */
  take(vhost: VirtualHostConfig, steps: number): number
  /** Throws `OriginError` 503 when it is used up. */
  charge(vhost: VirtualHostConfig, steps: number): void
}

/** Counts steps by virtual host and second; forgotten with the configuration. */
export const createRuleBudget = (nowMs: () => number): RuleBudget => {
  const shares = new WeakMap<VirtualHostConfig, { left: number; untilMs: number }>()
  const take: RuleBudget['take'] = (vhost, steps) => {
    let share = shares.get(vhost)
    if (!share) shares.set(vhost, (share = { left: STEPS_PER_SEC, untilMs: 0 }))
    const now = nowMs()
    if (now >= share.untilMs) {
      share.left = STEPS_PER_SEC
      share.untilMs = now + 1000
    }
    return (share.left -= steps)
  }
  return {
    take,
    charge(vhost, steps) {
      if (take(vhost, steps) < 0) throw new OriginError(503, 'the rules of .htaccess cost too much')
    },
  }
}
