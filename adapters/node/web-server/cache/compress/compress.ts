import { performance } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import type { BodyEncoder, ContentCoding } from '#edge-cache/index.ts'
import type { Log } from '#handlers/ports/log.ts'
import { compileCacheEnv } from '../../../process/compile-cache-env.ts'
import type { CompressOrder, CompressResult } from './compress-thread.ts'

/** A worker whose event loop is occupied for more than this part of the time is busy. */
const BUSY_UTILIZATION = 0.9
/** Over what time the occupation is measured, at least. */
const MEASURE_MS = 200
/** A thread without work ends. */
const IDLE_MS = 30_000
/** Of the thread's own objects; what it compresses is not among them. */
const MAX_HEAP_MB = 64

type Done = (made: Uint8Array<ArrayBuffer> | null) => void

/**
 * Compresses in a thread of its own, of low priority: the states that a coding
 * needs are megabytes, and making and collecting them beside the event loop would
 * be felt by every visitor. Busy while the loop is.
 */
export const createCompressor = (log: Log): BodyEncoder => {
  let since = performance.eventLoopUtilization()
  let measuredMs = performance.now()
  let busy = false
  let thread: Worker | null = null
  let idle: NodeJS.Timeout | null = null
  let lastId = 0
  const open = new Map<number, { coding: ContentCoding; done: Done }>()

  const settle = ({ id, body, error }: CompressResult): void => {
    const order = open.get(id)
    open.delete(id)
    if (order !== undefined && body === null)
      log.warn('a page could not be compressed', { coding: order.coding, error })
    order?.done(body)
    if (open.size > 0) return
    idle = setTimeout(() => {
      void thread?.terminate()
      thread = null
    }, IDLE_MS).unref()
  }
  const begin = (): Worker => {
    const started = new Worker(new URL('./compress-thread.ts', import.meta.url), {
      env: compileCacheEnv(),
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    })
    started.unref()
    started.on('message', settle)
    const gone = (error: string): void => {
      if (thread !== started) return
      thread = null
      for (const id of open.keys()) settle({ id, body: null, error })
    }
    started.on('error', (error) => gone(String(error)))
    started.on('exit', () => gone('its thread ended'))
    return started
  }

  return {
    encode: (body, coding) =>
      new Promise((done) => {
        if (idle !== null) clearTimeout(idle)
        thread ??= begin()
        const id = ++lastId
        open.set(id, { coding, done })
        // A copy, since all that a view's buffer holds would be sent.
        const own = body.slice()
        thread.postMessage({ id, body: own, coding } satisfies CompressOrder, [own.buffer])
      }),
    isBusy() {
      const nowMs = performance.now()
      if (nowMs - measuredMs < MEASURE_MS) return busy
      busy = performance.eventLoopUtilization(since).utilization > BUSY_UTILIZATION
      since = performance.eventLoopUtilization()
      measuredMs = nowMs
      return busy
    },
  }
}
