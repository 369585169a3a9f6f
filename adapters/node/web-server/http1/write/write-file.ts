import type { Socket } from 'node:net'
import type { FileSource } from '../../files/file-source.ts'
import { isSmall, WHOLE_BYTES, withSmallFile } from '../../files/small-file.ts'
import { wholeBodyOf } from '../../../messages/quick-response.ts'
import { noteSent } from './pump-body.ts'
import { pumpFile } from './pump-file.ts'
import { planResponse, type ResponsePlan } from './response-head.ts'

/** What was sent. */
export interface WrittenFile {
  bodyBytes: number
  /** The response's fields and body, where it is small enough to be remembered. */
  whole: WholeResponse | null
}

/** A response's fields without its length and our date, and its body. */
export interface WholeResponse {
  fields: [string, string][]
  body: Buffer
}

/** Whether a body is framed by the length of the file that it comes from; anything else is not ours to send. */
export const isFramedBy = (plan: ResponsePlan, { sizeBytes }: FileSource): boolean =>
  plan.hasBody && plan.lengthBytes === sizeBytes && sizeBytes > 0

/** What may be remembered of a response. */
export const wholeResponse = (
  plan: ResponsePlan,
  response: Response,
  body: Buffer,
): WholeResponse => {
  const isDated = response.headers.has('date')
  const isKept = ([name]: [string, string]): boolean =>
    name !== 'content-length' && (isDated || name !== 'date')
  return { fields: plan.fields.filter(isKept), body }
}

/** What may be remembered of a response whose body is a copy of a file in a coding; null: it is none, or too large. */
export const copiedResponse = (
  response: Response,
  { method, httpDate }: { method: string; httpDate: string },
): WholeResponse | null => {
  const whole = wholeBodyOf(response)
  if (whole === null || whole.byteLength > WHOLE_BYTES) return null
  const plan = planResponse(response, method, httpDate)
  if (!plan.hasBody || plan.lengthBytes !== whole.byteLength) return null
  const body = Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength)
  return wholeResponse(plan, response, body)
}

/**
 * Writes an HTTP/1.1 answer whose body is `source`, without a stream between file
 * and socket; null when that cannot be, and nothing was written. As
 * `writeResponse` it rejects when the file breaks off or the client leaves, and the
 * caller destroys the socket then.
 */
export const writeFile = async (
  socket: Socket,
  response: Response,
  source: FileSource,
  options: { method: string; httpDate: string; close: boolean },
): Promise<WrittenFile | null> => {
  const plan = planResponse(response, options.method, options.httpDate)
  if (!isFramedBy(plan, source)) return null
  let head = `HTTP/1.1 ${plan.status} ${plan.reason}\r\n`
  for (const [name, value] of plan.fields) head += `${name}: ${value}\r\n`
  head += options.close ? 'connection: close\r\n\r\n' : '\r\n'
  if (!isSmall(source)) {
    socket.write(head, 'latin1')
    return { bodyBytes: await pumpFile(socket, source), whole: null }
  }
  const body = await withSmallFile(
    source,
    (bytes) =>
      new Promise((resolve, reject) => {
        socket.cork()
        socket.write(head, 'latin1')
        socket.write(bytes, (error) => {
          noteSent(error, bytes.length)
          if (error) reject(error)
          else resolve()
        })
        socket.uncork()
      }),
  )
  return { bodyBytes: source.sizeBytes, whole: wholeResponse(plan, response, body) }
}
