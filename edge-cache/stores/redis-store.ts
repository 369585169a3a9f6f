import { keepUntilMs } from '../entry.ts'
import { deserializeEntry, serializeEntry } from '../serialize.ts'
import type { CacheKey, CacheStore, Markable } from '../types.ts'
import { replyList, replyNumber, replyText, runScript, type RedisDriver } from './redis-driver.ts'
import { MARKS_KEY } from './redis-marks.ts'
import { DROP_PAGES, LOOK_AT_PAGES, PUT_PAGE } from './redis-scripts.ts'

export interface RedisStoreOptions {
  /** Bound of all pages of all instances; each bucket keeps to its part. */
  limitBytes: number
  /** History of purge numbers that pages belong to; those of another are never found. */
  epoch: string
  /** Number of the youngest purge this process has applied. */
  known(): number
  /** The server knows purges that this process does not; pages are not trusted until it does. */
  onBehind(): void
  nowMs(): number
}

/** Pages are spread over so many hash tags, and with them over the nodes of a cluster. */
const BUCKETS = 16
/** Pages looked at by one sweep. */
const LOOK_PAGES = 256

/** Nobody's answer waits for these. */
const PATIENT = { patient: true }

/** What the sweep must know of a page, kept beside it. */
interface Head {
  tags: string[]
  sequence: number
  untilMs: number
}

const bucketOf = (id: string): number => {
  let hash = 0
  for (let i = 0; i < id.length; i++) hash = (Math.imul(hash, 31) + id.charCodeAt(i)) >>> 0
  return hash % BUCKETS
}

const parseHead = (text: string): Head | null => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && 'untilMs' in value
      ? (value as Head)
      : null
  } catch {
    return null
  }
}

/**
 * The layer that instances share. Pages expire in Redis by themselves and are
 * bounded in sum; the oldest go first. Every read compares the server's purge
 * number with the one known here, so that a purge whose notice is still on its
 * way, or was lost, cannot be overtaken by a page from before it.
 */
export const createRedisStore = (driver: RedisDriver, options: RedisStoreOptions): CacheStore => {
  const { epoch, nowMs } = options
  const bucketBytes = Math.floor(options.limitBytes / BUCKETS)
  const counts = new Map<number, { entries: number; bytes: number }>()
  let evictions = 0
  let sweepBucket = 0
  let sweepRank = 0

  const names = (bucket: number) => {
    const base = `berth:{${epoch}.${bucket}}`
    return { page: `${base}:p:`, index: `${base}:i`, sizes: `${base}:s` }
  }
  const count = (bucket: number, reply: unknown): unknown => {
    const [entries, bytes, more] = replyList(reply)
    counts.set(bucket, { entries: replyNumber(entries), bytes: replyNumber(bytes) })
    return more
  }
  const drop = async (bucket: number, ids: readonly string[]): Promise<number> => {
    const { page, index, sizes } = names(bucket)
    const reply = await runScript(driver, DROP_PAGES, [index, sizes], [page, ...ids], PATIENT)
    return replyNumber(count(bucket, reply))
  }
  const isCurrent = (reply: unknown): boolean => {
    const [theirs, sequence] = replyList(reply)
    if (replyText(theirs) === epoch && replyNumber(sequence) <= options.known()) return true
    options.onBehind()
    return false
  }

  return {
    async get(key: CacheKey) {
      const page = names(bucketOf(key.id)).page + key.id
      const [state, found] = await Promise.all([
        driver.send(MARKS_KEY, ['HMGET', MARKS_KEY, 'epoch', 'seq']),
        driver.send(page, ['HGET', page, 'p']),
      ])
      if (!(found instanceof Uint8Array) || !isCurrent(state)) return null
      const entry = deserializeEntry(found)
      return entry?.key.id === key.id ? entry : null
    },
    async put(entry) {
      const { id } = entry.key
      const bucket = bucketOf(id)
      const { page, index, sizes } = names(bucket)
      const bytes = serializeEntry(entry)
      const untilMs = keepUntilMs(entry)
      const lifeMs = Math.floor(untilMs - nowMs())
      if (lifeMs <= 0 || bytes.byteLength > bucketBytes / 2) return
      const { tags, sequence } = entry
      const head = JSON.stringify({ tags: [...tags], sequence, untilMs } satisfies Head)
      const values = [id, head, bytes, lifeMs, bucketBytes, page]
      const reply = await runScript(driver, PUT_PAGE, [page + id, index, sizes], values, PATIENT)
      evictions += replyNumber(count(bucket, reply))
    },
    async delete(key) {
      await drop(bucketOf(key.id), [key.id])
    },
    async sweep(marks, now) {
      const bucket = sweepBucket
      const { page, index, sizes } = names(bucket)
      const reply = await runScript(
        driver,
        LOOK_AT_PAGES,
        [index, sizes],
        [page, sweepRank, LOOK_PAGES],
        PATIENT,
      )
      const found = replyList(count(bucket, reply))
      const gone: string[] = []
      for (let i = 0; i + 1 < found.length; i += 2) {
        const id = replyText(found[i])
        const head = parseHead(replyText(found[i + 1]))
        const markable = (one: Head): Markable => ({ key: { host: '', path: '', id }, ...one })
        if (!head || head.untilMs <= now || marks.isPurged(markable(head))) gone.push(id)
      }
      const looked = found.length / 2
      sweepRank = looked < LOOK_PAGES ? 0 : sweepRank + looked - gone.length
      if (sweepRank === 0) sweepBucket = (bucket + 1) % BUCKETS
      return gone.length === 0 ? 0 : drop(bucket, gone)
    },
    stats() {
      let entries = 0
      let bytes = 0
      for (const one of counts.values()) {
        entries += one.entries
        bytes += one.bytes
      }
      return { entries, bytes, limitBytes: options.limitBytes, evictions }
    },
  }
}
