import type { FiguresDayView } from '../../services/figures/figures-view.ts'
import { downloadHeaders } from '../frame/attachment.ts'

const HEAD =
  'day,requests,visitors,bytes,hits,misses,bot_requests,bot_bytes,status_1xx,status_2xx,status_3xx,status_4xx,status_5xx\r\n'

/** A day as a line of numbers, so that no program takes any of it for a formula. */
const lineOf = (view: FiguresDayView): string => {
  const { day, requests, visitors, bytes, hits, misses, bot_requests, bot_bytes, statuses } = view
  const counts = [requests, visitors, bytes, hits, misses, bot_requests, bot_bytes]
  return `${[day, ...counts, ...Object.values(statuses)].join(',')}\r\n`
}

/** Days as a table (RFC 4180), sent as they are read. */
export const figuresCsv = (
  name: string,
  parts: AsyncIterable<readonly FiguresDayView[]>,
): Response => {
  const encoder = new TextEncoder()
  const iterator = parts[Symbol.asyncIterator]()
  let isBegun = false
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const head = isBegun ? '' : HEAD
        isBegun = true
        const { done, value } = await iterator.next()
        const text = head + (done ? '' : value.map(lineOf).join(''))
        if (text !== '') controller.enqueue(encoder.encode(text))
        if (done) controller.close()
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  const headers = downloadHeaders(`${name}-visitors.csv`, 'text/csv; charset=utf-8; header=present')
  return new Response(body, { headers })
}
