import type { ServerResponse } from 'node:http'
import { pumpBody } from '../write/pump-body.ts'
import { planResponse } from '../write/response-head.ts'
import type { Trailers } from './write-response.ts'
import { fitsLine, writePieces } from '../write/write-pieces.ts'

/** Writes `response` through node:http. Rejects when its body fails; the caller destroys the connection then. Answers the body bytes. */
export const writeNodeResponse = async (
  out: ServerResponse,
  response: Response,
  options: { method: string; httpDate: string; close: boolean; trailers?: () => Trailers | null },
): Promise<number> => {
  const plan = planResponse(response, options.method, options.httpDate)
  const fields = plan.fields.flat()
  if (options.close) fields.push('connection', 'close')
  // Without this node:http would add a Date of its own.
  out.sendDate = false
  out.writeHead(plan.status, plan.reason, fields)
  const body = response.body
  if (!plan.hasBody || body === null) {
    body?.cancel().catch(() => undefined)
    out.end()
    return 0
  }
  out.flushHeaders()
  const write = (chunk: Uint8Array): boolean => out.write(chunk)
  const bytes = await pumpBody(body, out, plan.lengthBytes, (chunk) =>
    fitsLine(out.socket, chunk) ? write(chunk) : writePieces(out, chunk, write),
  )
  const trailers = options.trailers?.() ?? []
  // node:http writes them where it sends chunks, and else leaves them out.
  if (trailers.length > 0)
    out.addTrailers(trailers.map(([name, value]): [string, string] => [name, value]))
  out.end()
  return bytes
}
