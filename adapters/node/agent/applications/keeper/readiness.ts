import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const TRY_EVERY_MS = 50
/** One try; a start is as long as its own limit. */
const TRY_LIMIT_MS = 10_000

/** Whether somebody listens at the unix socket `path`. */
export const accepts = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/** Null: it is healthy; else what it said. */
const healthOf = (path: string, url: string): Promise<string | null> =>
  new Promise((resolve) => {
    const asked = request(
      { socketPath: path, path: url, headers: { host: 'localhost' }, timeout: TRY_LIMIT_MS },
      (answer) => {
        const { statusCode = 0 } = answer
        answer.resume()
        answer.on('error', () => undefined)
        answer.destroy()
        resolve(
          statusCode >= 200 && statusCode < 400 ? null : `It answers ${statusCode} at ${url}.`,
        )
      },
    )
    asked.on('timeout', () => asked.destroy())
    asked.on('error', (error) => resolve(`It does not answer at ${url}: ${error.message}.`))
    asked.end()
  })

/** Where and when an application is to answer. */
export interface Awaited {
  /** Unix socket. */
  path: string
  /** Whether it listens, where that can be told apart from the socket's being there. */
  listens(): Promise<boolean>
  healthPath: string | null
  limitMs: number
}

/** Answers null once an application answers, or why it does not, which is after its limit or when `signal` aborts. */
export const untilAnswers = async (
  { path, listens, healthPath, limitMs }: Awaited,
  signal: AbortSignal,
): Promise<string | null> => {
  const deadlineMs = performance.now() + limitMs
  let problem = 'It does not listen.'
  while (!signal.aborted && performance.now() < deadlineMs) {
    if (await listens()) {
      const unhealthy = healthPath === null ? null : await healthOf(path, healthPath)
      if (unhealthy === null) return null
      problem = unhealthy
    }
    await delay(TRY_EVERY_MS, undefined, { signal }).catch(() => undefined)
  }
  return problem
}
