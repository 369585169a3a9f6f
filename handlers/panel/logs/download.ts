import type { LogFile } from '../../ports/host/logs.ts'
import { userKey } from '../access/caller.ts'
import type { Logs, LogSearch } from '../../services/logs/logs.ts'
import { downloadHeaders } from '../frame/attachment.ts'
import type { OpenSlots } from '../frame/open-slots.ts'
import type { Call } from '../frame/route.ts'
import { viewerOf } from './viewer.ts'

/** So much of the newest part of a log is searched for a download. */
export const DOWNLOAD_BYTES = 256 * 2 ** 20
const LINES = 2000

/** The lines of a log as a text file, oldest first, sent at the client's pace; up to the end that it has now. */
export const downloadLog = async (
  logs: Logs,
  slots: OpenSlots,
  call: Call<unknown, { host?: string | undefined }>,
  source: LogFile,
  search: LogSearch,
): Promise<Response> => {
  const viewer = viewerOf(call)
  await logs.assertVisible(viewer, search.domain)
  let after = await logs.place(viewer, search.domain, source, DOWNLOAD_BYTES)
  let over = false
  const leave = slots.enter(userKey(call.caller))
  /** The next lines; empty at the end. */
  const next = async (): Promise<string> => {
    for (;;) {
      const page = { after, lines: LINES, maxLagBytes: null }
      const news = await logs.follow(viewer, source, search, page)
      after = news.after
      over ||= !news.more
      const text = news.lines.map(({ raw }) => `${raw}\n`).join('')
      if (over || text !== '') return text
    }
  }
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const text = over ? '' : await next()
          if (text !== '') return controller.enqueue(encoder.encode(text))
          leave()
          controller.close()
        } catch (error) {
          leave()
          throw error
        }
      },
      cancel() {
        over = true
        leave()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: downloadHeaders(`${source}.log`, 'text/plain; charset=utf-8'),
  })
}
