import type { LogFile, LogPlace } from '../../ports/host/logs.ts'
import { userKey } from '../access/caller.ts'
import type { Logs, LogSearch } from '../../services/logs/logs.ts'
import type { EventStreams, ServerEvent } from '../frame/event-stream.ts'
import type { Call } from '../frame/route.ts'
import { viewerOf } from './viewer.ts'

const LOOK_EVERY_MS = 1000
/** A sign of life; where a client that went away is noticed at the next write alone, it holds its slot so long. */
const HEARTBEAT_MS = 5000
const LINES = 500
/** Who is further behind than that goes on at the end. */
const MAX_LAG_BYTES = 8 * 2 ** 20

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })

/** Sends the lines that come after `from` until the client goes away or may not see them any more. */
export const streamLog = (
  logs: Logs,
  streams: EventStreams,
  call: Call<unknown, { host?: string | undefined }>,
  source: LogFile,
  search: LogSearch,
  from: LogPlace,
): Response => {
  let after = from
  const at = (event: 'begin' | 'place'): ServerEvent => ({ id: after, event, data: {} })
  let begun = false
  return streams.open(userKey(call.caller), async (signal) => {
    if (!begun) {
      begun = true
      return [at('begin')]
    }
    for (let waited = 0; waited < HEARTBEAT_MS && !signal.aborted;) {
      await call.reauthenticate()
      const page = { after, lines: LINES, maxLagBytes: MAX_LAG_BYTES }
      const news = await logs.follow(viewerOf(call), source, search, page)
      after = news.after
      const events: ServerEvent[] = news.lines.map((data) => ({ id: data.id, event: 'line', data }))
      if (news.skipped) events.unshift({ id: after, event: 'skipped', data: {} })
      // The last event's id is where a client that comes back goes on.
      if (events.length > 0) return [...events, at('place')]
      if (news.more) continue
      waited += LOOK_EVERY_MS
      await pause(LOOK_EVERY_MS, signal)
    }
    return [at('place')]
  })
}
