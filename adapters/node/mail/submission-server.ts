import { chmodSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Log } from '#handlers/ports/log.ts'
import { Refusal, refuse } from './refusal.ts'
import {
  MAX_SUBMISSION_HEAD,
  submissionHeadSchema,
  type SubmissionHead,
} from './submission-head.ts'

/** Name of an account's socket in its directory. */
export const SUBMISSION_SOCKET = 'submit.sock'
/** Submissions of one account at a time; further ones wait in the kernel. */
const AT_ONCE = 5
/** Silence after which a submission is given up, and the most that one may take. */
const IDLE_MS = 30_000
const LONGEST_MS = 5 * 60_000
const LF = 10

/** Takes a message of the account and answers its id. Throws `Refusal`. */
export type TakeSubmission = (
  head: SubmissionHead,
  source: AsyncIterable<Uint8Array>,
) => Promise<string>

/** The head, which is a line of JSON, and what came behind it. */
const readSubmissionHead = async (
  pieces: AsyncIterator<Buffer>,
): Promise<{ head: SubmissionHead; rest: Buffer }> => {
  const read: Buffer[] = []
  let length = 0
  for (;;) {
    const { value, done } = await pieces.next()
    if (done === true) throw refuse('usage', 'The submission broke off.')
    read.push(value)
    length += value.length
    if (value.includes(LF)) break
    if (length > MAX_SUBMISSION_HEAD) throw refuse('limit', 'There are too many recipients.')
  }
  const all = Buffer.concat(read)
  const end = all.indexOf(LF)
  let raw: unknown
  try {
    raw = JSON.parse(all.toString('utf8', 0, end))
  } catch {
    throw refuse('usage', 'The submission cannot be read.')
  }
  const parsed = submissionHeadSchema.safeParse(raw)
  if (!parsed.success) throw refuse('limit', 'There are too many recipients, or one is too long.')
  return { head: parsed.data, rest: all.subarray(end + 1) }
}

/**
 * The message, which comes in frames of four bytes that say how long they are; an empty one
 * ends it. So a program that was killed did not send half a message.
 */
async function* unframed(first: Buffer, pieces: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  let piece = first
  let left = 0
  let sizeBytes = Buffer.alloc(0)
  for (;;) {
    // What came together goes on together, however small its frames are.
    const parts: Buffer[] = []
    let isWhole = false
    while (piece.length > 0 && !isWhole)
      if (left > 0) {
        const part = piece.subarray(0, left)
        piece = piece.subarray(part.length)
        left -= part.length
        parts.push(part)
      } else {
        const part = piece.subarray(0, 4 - sizeBytes.length)
        piece = piece.subarray(part.length)
        sizeBytes = Buffer.concat([sizeBytes, part])
        if (sizeBytes.length < 4) continue
        left = sizeBytes.readUInt32BE()
        sizeBytes = Buffer.alloc(0)
        isWhole = left === 0
      }
    const [first] = parts
    if (first !== undefined) yield parts.length === 1 ? first : Buffer.concat(parts)
    if (isWhole) return
    const next = await pieces.next()
    if (next.done === true) throw refuse('usage', 'The submission broke off.')
    piece = next.value
  }
}

const serve = async (socket: Socket, take: TakeSubmission, log: Log): Promise<void> => {
  let answer: { code: number; id?: string; text?: string }
  try {
    const pieces: AsyncIterator<Buffer> = socket[Symbol.asyncIterator]()
    const { head, rest } = await readSubmissionHead(pieces)
    answer = { code: 0, id: await take(head, unframed(rest, pieces)) }
  } catch (error) {
    if (error instanceof Refusal) answer = { code: error.exitCode, text: error.message }
    else {
      log.error('a submission failed', { error: String(error) })
      answer = { code: 69, text: 'The mail queue cannot take messages at present. Try again.' }
    }
  }
  if (socket.writable) socket.end(`${JSON.stringify(answer)}\n`)
}

/** Listens for submissions of one account. */
export interface SubmissionServer {
  /** Listens no more, and breaks off what is under way. */
  close(): void
}

/**
 * Listens in a directory that only one account can enter, so who connects is that account:
 * the kernel says so. Resolves when it listens.
 */
export const serveSubmissions = (
  directory: string,
  take: TakeSubmission,
  log: Log,
): Promise<SubmissionServer> => {
  const path = join(directory, SUBMISSION_SOCKET)
  let open = 0
  const waiting: (() => void)[] = []
  const sockets = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.setTimeout(IDLE_MS, () => socket.destroy())
    const limit = setTimeout(() => socket.destroy(), LONGEST_MS)
    const begin = (): void => {
      open += 1
      void serve(socket, take, log)
    }
    let begun = false
    const turn = (): void => {
      begun = true
      begin()
    }
    socket.once('close', () => {
      clearTimeout(limit)
      sockets.delete(socket)
      if (begun) open -= 1
      else waiting.splice(waiting.indexOf(turn), 1)
      if (open < AT_ONCE) waiting.shift()?.()
    })
    if (open < AT_ONCE) turn()
    else waiting.push(turn)
  })
  // What waits costs a descriptor each; of one account there are not many.
  server.maxConnections = 100
  rmSync(path, { force: true })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      // Who may enter the directory may connect.
      chmodSync(path, 0o666)
      resolve({
        close() {
          server.close()
          for (const socket of sockets) socket.destroy()
        },
      })
    })
  })
}
