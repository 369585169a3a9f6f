import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { unixFetch } from '../process/unix-fetch.ts'

/**
 * How long a request waits for an agent that is not there: it is being started again,
 * which takes two seconds, and several times that on a machine that is busy.
 */
const ABSENT_MS = 15_000
/** Pause between two tries. */
const RETRY_MS = 100
const MAX_ANSWER_BYTES = 65_536

/** Whether nobody listens, or whoever did has ended. */
const isAbsent = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false
  const { cause } = error
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : null
  return code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ECONNRESET' || code === 'EPIPE'
}

/** Asks the agent, at the socket that is the web server's, for a start of something. */
export type AskAgent = (
  path: string,
  body: unknown,
) => Promise<{ ok: boolean; status: number; text: string }>

/**
 * Each question has `timeoutMs`. An agent that is not there, or ends before it answered, is asked
 * again for `absentMs`, default 15000: asking twice is the same as asking once.
 */
export const createAskAgent = (
  { paths }: Pick<ServerConfig, 'paths'>,
  { timeoutMs, absentMs = ABSENT_MS }: { timeoutMs: number; absentMs?: number | undefined },
): AskAgent => {
  const ask = unixFetch(join(paths.run_dir, 'agent-web.sock'), {
    timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
  })
  return async (path, body) => {
    const deadlineMs = performance.now() + absentMs
    for (;;) {
      try {
        const answer = await ask(
          new Request(`http://agent${path}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(body),
          }),
        )
        return { ok: answer.ok, status: answer.status, text: await answer.text() }
      } catch (error) {
        if (!isAbsent(error) || performance.now() + RETRY_MS > deadlineMs) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}
