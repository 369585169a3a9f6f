import type { ServerHttp2Stream } from 'node:http2'
import { sourceOf } from '../../files/file-source.ts'
import { isSmall, withSmallFile } from '../../files/small-file.ts'
import { noteSent } from '../../http1/write/pump-body.ts'
import { planResponse } from '../../http1/write/response-head.ts'
import { isFramedBy, wholeResponse, type WholeResponse } from '../../http1/write/write-file.ts'
import type { StreamState } from '../http2-services.ts'
import { respond, writeSlices } from './stream-response.ts'

/**
 * Sends a response whose body is a small file, whole, and answers what may be
 * remembered of it; null when it is something else, and nothing was sent. Rejects
 * as `sendResponse`.
 */
export const sendSmallFile = async (
  stream: ServerHttp2Stream,
  response: Response,
  options: { method: string; httpDate: string; state: StreamState; nowMs: () => number },
): Promise<WholeResponse | null> => {
  const source = sourceOf(response.body)
  if (source === null || !isSmall(source)) return null
  const plan = planResponse(response, options.method, options.httpDate)
  if (!isFramedBy(plan, source)) return null
  const fields = [':status', String(plan.status), ...plan.fields.flat()]
  if (!respond(stream, fields, false)) throw new Error('The client closed the stream.')
  const onProgress = (): void => {
    options.state.progressMs = options.nowMs()
  }
  const body = await withSmallFile(source, (bytes) =>
    writeSlices(stream, bytes, onProgress).catch((error: unknown) => {
      noteSent(error, bytes.length)
      throw error
    }),
  )
  stream.end()
  return wholeResponse(plan, response, body)
}
