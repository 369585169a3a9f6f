import type { FillEnd, FillTurns } from '../../fills/shared-fills.ts'
import { bucketKeys, bucketOf } from './buckets.ts'
import { replyText, runScript, type RedisDriver } from './driver.ts'

/** A server that dies while it makes a page keeps the others from it no longer. */
const HELD_MS = 10_000
/** What a turn came to is told for so long: those who wait look every `LOOK_MS` of `createSharedFills`. */
const TOLD_MS: Readonly<Record<Exclude<FillEnd, 'stored'>, number>> = {
  uncacheable: 1000,
  failed: 150,
}

/** Key: the page's. Values: token, milliseconds. Empty for who has the turn now, else whose it is or what it came to. */
const TAKE = `
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return '' end
return redis.call('GET', KEYS[1]) or ''`

/** Key: the page's. Values: token, what it came to, milliseconds; without them the turn is just given back. */
const END = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[2] then return redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return redis.call('DEL', KEYS[1])`

/**
 * Whose turn it is to make a page, over all web servers of one Redis. It saves work, and nothing
 * depends on it: where Redis does not answer, everybody has the turn.
 */
export const createRedisFillTurns = (
  driver: RedisDriver,
  options: {
    /** As of the pages; null while Redis is not in use. */
    epoch(): string | null
    /** Of this process, unlike that of any other. */
    name: string
  },
): FillTurns => {
  let taken = 0
  return {
    async take(id) {
      const epoch = options.epoch()
      if (epoch === null) return null
      const token = `${options.name}.${++taken}`
      const key = `${bucketKeys(epoch, bucketOf(id)).turn}${id}`
      let held: string
      try {
        held = replyText(await runScript(driver, TAKE, [key], [token, HELD_MS]))
      } catch {
        return null
      }
      if (held === 'uncacheable' || held === 'failed') return held
      if (held !== '') return 'taken'
      return {
        end: async (how) => {
          const values = how === 'stored' ? [token] : [token, how, TOLD_MS[how]]
          await runScript(driver, END, [key], values, { patient: true })
        },
      }
    },
  }
}
