import { request as httpRequest } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { CALL_HEADER, SIGNATURE_HEADER } from '#adapters/shared/host-rpc/signed-call.ts'

/** What the agent is to read of a request besides its path and body; all else ends here. */
const PASSED = ['content-type', CALL_HEADER, SIGNATURE_HEADER] as const
const PATH = /^\/[A-Za-z]{1,40}(?:\/[A-Za-z]{1,40})?$/
/** A little above what the agent takes to answer. */
const ANSWER_MS = 30_000

/** Bounds of requests. */
export interface RequestBounds {
  maxBodyBytes: number
  /** Of bodies that are held at once, of all panels together. */
  maxHeldBytes: number
}

const refuse = (outgoing: ServerResponse, status: number, error: string): void => {
  if (outgoing.headersSent) return void outgoing.destroy()
  outgoing.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  outgoing.end(JSON.stringify({ ok: false, error, status, field: null }))
}

/** The body, whole, so that who sends slowly keeps nobody but this process busy. Null: it did not come whole. */
const received = async (incoming: IncomingMessage, sizeBytes: number): Promise<Buffer | null> => {
  const chunks: Buffer[] = []
  let held = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    held += chunk.length
    if (held > sizeBytes) return null
    chunks.push(chunk)
  }
  return held === sizeBytes ? Buffer.concat(chunks) : null
}

const forward = (
  socketPath: string,
  incoming: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
): Promise<void> =>
  new Promise((resolve) => {
    const headers: Record<string, string> = { 'content-length': String(body.length) }
    for (const name of PASSED) {
      const value = incoming.headers[name]
      if (typeof value === 'string') headers[name] = value
    }
    const asked = httpRequest(
      { socketPath, method: 'POST', path: incoming.url, headers, agent: false, timeout: ANSWER_MS },
      (answer) => {
        const size = answer.headers['content-length']
        outgoing.writeHead(answer.statusCode ?? 502, {
          'content-type': 'application/json; charset=utf-8',
          ...(size !== undefined && { 'content-length': size }),
        })
        answer.pipe(outgoing)
        answer.on('error', () => outgoing.destroy())
      },
    )
    asked.on('timeout', () => asked.destroy(new Error('the agent did not answer')))
    asked.on('error', () => {
      refuse(outgoing, 503, 'The host agent is not reachable. Look into its log on that machine.')
    })
    outgoing.on('close', () => {
      asked.destroy()
      resolve()
    })
    asked.end(body)
  })

/**
 * Passes requests to the agent's socket, which sees nothing before a whole request of a bounded
 * size is here, and then only what is on the list above. What is in it, the agent alone judges.
 */
export const createPassOn = (
  socketPath: string,
  { maxBodyBytes, maxHeldBytes }: RequestBounds,
): ((incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>) => {
  let heldBytes = 0
  return async (incoming, outgoing) => {
    incoming.on('error', () => outgoing.destroy())
    if (incoming.method !== 'POST' || !PATH.test(incoming.url ?? ''))
      return refuse(outgoing, 404, 'The link has no such method.')
    const announced = incoming.headers['content-length']
    if (announced === undefined || !/^\d{1,10}$/.test(announced))
      return refuse(outgoing, 411, 'Say how long the body is.')
    const sizeBytes = Number(announced)
    if (sizeBytes > maxBodyBytes) return refuse(outgoing, 413, 'The request is too large.')
    if (heldBytes + sizeBytes > maxHeldBytes)
      return refuse(outgoing, 503, 'The link has too much to do. Try again in a moment.')
    heldBytes += sizeBytes
    try {
      const body = await received(incoming, sizeBytes)
      if (body === null) return refuse(outgoing, 400, 'The body is not as long as it was said.')
      await forward(socketPath, incoming, body, outgoing)
    } catch {
      outgoing.destroy()
    } finally {
      heldBytes -= sizeBytes
    }
  }
}
