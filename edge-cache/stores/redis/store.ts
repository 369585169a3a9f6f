import { editionOf } from '../changed-pages.ts'
import { keepUntilMs } from '../../entry/entry.ts'
import { deserializeEntry, serializeEntry } from '../../entry/serialize.ts'
import type { CacheKey, CacheStore, Markable, PurgeMarks, StoreStats } from '../../types.ts'
import { BUCKETS, bucketKeys, bucketOf } from './buckets.ts'
import { replyList, replyNumber, replyText, runScript, type RedisDriver } from './driver.ts'
import { MARKS_KEY } from './marks.ts'
import {
  COUNT_PAGES,
  DROP_PAGES,
  EVICT_PAGES,
  LIST_PAGES,
  PUT_PAGE,
  READ_HEADS,
} from './scripts.ts'

/** Bounds of the shared layer, and what it needs to know of purges. */
export interface RedisStoreOptions {
  /** Bound of all pages of all instances; each bucket keeps to its part. */
  limitBytes: number
  /** History of purge numbers that pages belong to; those of another are never found. */
  epoch: string
  /**
   * Whether no purge is acknowledged before this process has applied it or stopped answering with
   * what is stored (see `RedisMarks.fronts`): reads then need not compare numbers. Default: false.
   */
  strict?: boolean
  /** Number of the youngest purge this process has applied. */
  known(): number
  /**
   * An edition of a page was stored here (see `editionOf`), or, null, it was taken away;
   * `replaced` when there was one before. The response is waited for.
   */
  onChanged?(id: string, edition: string | null, replaced: boolean): Promise<unknown>
  /** The server knows purges that this process does not; pages are not trusted until it does. */
  onBehind(): void
  /** Wall clock, milliseconds. */
  nowMs(): number
}

/** The shared layer: what one instance stores the others find. */
export interface RedisStore extends CacheStore {
  /** One bounded round over a part of the pages; answers how many went. */
  sweep(marks: Pick<PurgeMarks, 'isPurged'>, nowMs: number): Promise<number>
  /** Counts what all instances have stored together; a few commands, however many pages there are. */
  count(): Promise<StoreStats>
}

/** Pages looked at by one sweep, and at once: each may have thousands of tags. */
const LOOK_PAGES = 256
const LOOK_AT_ONCE = 16
/** Buckets looked at by one sweep, since most may be empty. */
const LOOK_BUCKETS = 32

/** Sweeps in a row that have looked at everything where no bucket had more than a few pages. */
export const REDIS_SWEEP_ROUNDS = BUCKETS / LOOK_BUCKETS

/** Nobody's response waits for these. */
const PATIENT = { patient: true }

/** What the sweep must know of a page, kept beside it. */
interface Head {
  tags: string[]
  sequence: number
  untilMs: number
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
export const createRedisStore = (driver: RedisDriver, options: RedisStoreOptions): RedisStore => {
  const { epoch, nowMs } = options
  const bucketBytes = Math.floor(options.limitBytes / BUCKETS)
  /** Each as of the last reply about it. */
  const counts = new Map<number, { entries: number; bytes: number; evictions: number }>()
  let sweepBucket = 0
  let sweepRank = 0

  const names = (bucket: number) => bucketKeys(epoch, bucket)
  /** Takes note of the counts in a reply; answers what is behind them. */
  const count = (bucket: number, reply: unknown): unknown => {
    const [entries, bytes, evictions, more] = replyList(reply)
    counts.set(bucket, {
      entries: replyNumber(entries),
      bytes: replyNumber(bytes),
      evictions: replyNumber(evictions),
    })
    return more
  }
  const drop = async (bucket: number, ids: readonly string[]): Promise<number> => {
    const { page, index, sizes } = names(bucket)
    const keys = [index, sizes, ...ids.map((id) => page + id)] as const
    return replyNumber(count(bucket, await runScript(driver, DROP_PAGES, keys, ids, PATIENT)))
  }
  /** Takes away what has to make room, as a script named it, until the bucket is within its bounds. */
  const evict = async (bucket: number, named: unknown): Promise<void> => {
    const { page, index, sizes } = names(bucket)
    let tooOld = replyList(named).map(replyText)
    while (tooOld.length > 0) {
      const pages = tooOld.filter((_, at) => at % 2 === 0).map((id) => page + id)
      const values = [bucketBytes, ...tooOld]
      const keys = [index, sizes, ...pages] as const
      const reply = await runScript(driver, EVICT_PAGES, keys, values, PATIENT)
      tooOld = replyList(count(bucket, reply)).map(replyText)
    }
  }
  /** Looks at some pages of one bucket; answers how many. */
  const look = async (
    marks: Pick<PurgeMarks, 'isPurged'>,
    now: number,
    limit: number,
  ): Promise<{ looked: number; gone: number }> => {
    const bucket = sweepBucket
    const { page, index, sizes } = names(bucket)
    const listed = await runScript(driver, LIST_PAGES, [index, sizes], [sweepRank, limit], PATIENT)
    const ids = replyList(count(bucket, listed)).map(replyText)
    const [first, ...others] = ids.map((id) => page + id)
    const heads =
      first === undefined
        ? []
        : replyList(await runScript(driver, READ_HEADS, [first, ...others], [], PATIENT))
    const markable = (id: string, head: Head): Markable => ({
      key: { host: '', path: '', id },
      ...head,
    })
    const gone = ids.filter((id, at) => {
      const head = parseHead(replyText(heads[at]))
      return !head || head.untilMs <= now || marks.isPurged(markable(id, head))
    })
    const looked = ids.length
    sweepRank = looked < limit ? 0 : sweepRank + looked - gone.length
    if (sweepRank === 0) sweepBucket = (bucket + 1) % BUCKETS
    return { looked, gone: gone.length === 0 ? 0 : await drop(bucket, gone) }
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
        options.strict ? null : driver.send(MARKS_KEY, ['HMGET', MARKS_KEY, 'epoch', 'seq']),
        driver.send(page, ['HGET', page, 'p']),
      ])
      if (!(found instanceof Uint8Array)) return null
      if (!options.strict && !isCurrent(state)) return null
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
      const { tags, sequence } = entry
      const head = JSON.stringify({ tags: [...tags], sequence, untilMs } satisfies Head)
      if (lifeMs <= 0 || bytes.byteLength + head.length + id.length > bucketBytes) return
      const values = [id, head, bytes, lifeMs, bucketBytes]
      const reply = await runScript(driver, PUT_PAGE, [page + id, index, sizes], values, PATIENT)
      const [before, tooOld] = replyList(count(bucket, reply))
      await Promise.all([
        options.onChanged?.(id, editionOf(entry), replyNumber(before) > 0),
        evict(bucket, tooOld),
      ])
    },
    async delete(key) {
      await drop(bucketOf(key.id), [key.id])
      await options.onChanged?.(key.id, null, true)
    },
    async sweep(marks, now) {
      let left = LOOK_PAGES
      let gone = 0
      for (let looks = 0; looks < LOOK_BUCKETS && left > 0; looks++) {
        const round = await look(marks, now, Math.min(left, LOOK_AT_ONCE))
        left -= round.looked
        gone += round.gone
      }
      return gone
    },
    async count() {
      const buckets = Array.from({ length: BUCKETS }, async (_, bucket) => {
        const { index, sizes } = names(bucket)
        count(bucket, await runScript(driver, COUNT_PAGES, [index, sizes], [], PATIENT))
      })
      await Promise.all(buckets)
      return this.stats()
    },
    stats() {
      const sum = { entries: 0, bytes: 0, limitBytes: options.limitBytes, evictions: 0 }
      for (const { entries, bytes, evictions } of counts.values()) {
        sum.entries += entries
        sum.bytes += bytes
        sum.evictions += evictions
      }
      return sum
    },
  }
}
