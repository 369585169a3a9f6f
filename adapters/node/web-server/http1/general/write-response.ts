import type { Socket } from 'node:net'
import { wholeBodyOf } from '../../../messages/quick-response.ts'
import { pumpBody } from '../write/pump-body.ts'
import { planResponse, type ResponsePlan } from '../write/response-head.ts'
import { fitsLine, writePieces } from '../write/write-pieces.ts'

const LAST_CHUNK = Buffer.from('0\r\n\r\n', 'latin1')
const CRLF = Buffer.from('\r\n', 'latin1')

/** Names and values, latin1. */
export type Trailers = readonly (readonly [name: string, value: string])[]

/** What was sent. */
export interface WrittenResponse {
  status: number
  bodyBytes: number
}

/** Up to this a copy costs less than a second piece of a write. */
const JOINED_BYTES = 32 * 1024

/** Head and body in one write. */
const writeWhole = (socket: Socket, head: string, body: Uint8Array): void => {
  if (body.byteLength <= JOINED_BYTES) {
    const bytes = Buffer.allocUnsafe(head.length + body.byteLength)
    bytes.write(head, 'latin1')
    bytes.set(body, head.length)
    socket.write(bytes)
    return
  }
  socket.cork()
  socket.write(head, 'latin1')
  socket.write(body)
  socket.uncork()
}

/**
 * Writes one HTTP/1.1 answer to a socket: with its length where it is known,
 * else chunked. Without a promise where all can be written at once; rejects when
 * the body fails half-way, and the caller destroys the socket then. `close`
 * announces that the connection ends after this response.
 */
export const writeResponse = (
  socket: Socket,
  response: Response,
  options: {
    method: string
    httpDate: string
    close: boolean
    /** Fields that follow the body where it is chunked, asked for at its end; default none. */
    trailers?: () => Trailers | null
  },
): WrittenResponse | Promise<WrittenResponse> => {
  const plan = planResponse(response, options.method, options.httpDate)
  const chunked = plan.hasBody && plan.lengthBytes === null
  let head = `HTTP/1.1 ${plan.status} ${plan.reason}\r\n`
  for (const [name, value] of plan.fields) head += `${name}: ${value}\r\n`
  if (chunked) head += 'transfer-encoding: chunked\r\n'
  head += options.close ? 'connection: close\r\n\r\n' : '\r\n'

  const whole = wholeBodyOf(response)
  if (plan.hasBody && whole !== null && whole.byteLength === plan.lengthBytes) {
    if (!fitsLine(socket, whole)) return writeInPieces(socket, plan.status, head, whole)
    writeWhole(socket, head, whole)
    return { status: plan.status, bodyBytes: whole.byteLength }
  }
  const body = response.body
  if (!plan.hasBody || body === null) {
    body?.cancel().catch(() => undefined)
    socket.write(head, 'latin1')
    return { status: plan.status, bodyBytes: 0 }
  }
  return writeStream(socket, plan, head, body, options.trailers)
}

/** A body that is there as a whole, at the line's pace. */
const writeInPieces = async (
  socket: Socket,
  status: number,
  head: string,
  whole: Uint8Array,
): Promise<WrittenResponse> => {
  socket.write(head, 'latin1')
  await writePieces(socket, whole, (piece) => socket.write(piece))
  return { status, bodyBytes: whole.byteLength }
}

/** A body as it comes. */
const writeStream = async (
  socket: Socket,
  plan: ResponsePlan,
  head: string,
  body: ReadableStream<Uint8Array>,
  trailers?: () => Trailers | null,
): Promise<WrittenResponse> => {
  const chunked = plan.lengthBytes === null
  // Head and first chunk leave together when the chunk is there in time.
  socket.cork()
  setImmediate(() => socket.uncork())
  socket.write(head, 'latin1')
  const write = (chunk: Uint8Array): boolean => {
    if (!chunked) return socket.write(chunk)
    socket.cork()
    socket.write(`${chunk.byteLength.toString(16)}\r\n`, 'latin1')
    socket.write(chunk)
    const more = socket.write(CRLF)
    socket.uncork()
    return more
  }
  const bodyBytes = await pumpBody(body, socket, plan.lengthBytes, (chunk) =>
    fitsLine(socket, chunk) ? write(chunk) : writePieces(socket, chunk, write),
  )
  if (chunked) {
    const fields = trailers?.() ?? []
    if (fields.length === 0) socket.write(LAST_CHUNK)
    else {
      const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`0\r\n${lines.join('')}\r\n`, 'latin1')
    }
  }
  return { status: plan.status, bodyBytes }
}
