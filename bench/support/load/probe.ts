import { request, Agent } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'

/** What visitors met while something else went on. */
export interface ProbeResult {
  requests: number
  /** Texts of what went wrong. */
  failures: string[]
  longestMs: number
  /** By how much the visitors' own event loop was late at most: so long an answer may have lain there. */
  ownDelayMs: number
}

/** Between two requests of a visitor: seldom enough to leave the server alone, often enough to meet a stall. */
const PAUSE_MS = 2
const TIMEOUT_MS = 60_000

/** One request; resolves with its status. `agent` false is a connection of its own. */
const ask = (port: number, host: string, path: string, agent: Agent | false): Promise<number> =>
  new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers: { host }, agent, timeout: TIMEOUT_MS }
    const outgoing = request(options, (answer) => {
      answer.on('error', reject)
      answer.on('end', () => resolve(answer.statusCode ?? 0))
      answer.resume()
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer in time')))
    outgoing.on('error', reject)
    outgoing.end()
  })

/**
 * Visitors, each asking again and again, until `stop`: as many on kept
 * connections as on fresh ones. A kept connection that the server closes
 * between two requests is what HTTP/1.1 allows (RFC 9112, 9.6) and is opened anew
 * once; what fails then, or on a fresh one, is a failure.
 */
export const startProbe = (
  port: number,
  host: string,
  paths: readonly string[],
  visitors = 2,
): { stop(): Promise<ProbeResult> } => {
  const result: ProbeResult = { requests: 0, failures: [], longestMs: 0, ownDelayMs: 0 }
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  let running = true
  const visit = async (path: string, agent: Agent | false): Promise<void> => {
    while (running) {
      const startMs = performance.now()
      try {
        const status = await ask(port, host, path, agent).catch((error: unknown) => {
          const reset = error instanceof Error && 'code' in error && error.code === 'ECONNRESET'
          if (agent === false || !reset) throw error
          return ask(port, host, path, false)
        })
        if (status !== 200) result.failures.push(`${path}: status ${status}`)
      } catch (error) {
        result.failures.push(`${path}: ${String(error)}`)
      }
      result.requests++
      result.longestMs = Math.max(result.longestMs, performance.now() - startMs)
      await setTimeout(PAUSE_MS)
    }
  }
  const agents = Array.from({ length: visitors }, (_, at) =>
    at % 2 === 0 ? new Agent({ keepAlive: true, maxSockets: 1 }) : (false as const),
  )
  const visits = paths.flatMap((path) => agents.map((agent) => visit(path, agent)))
  return {
    stop: async () => {
      running = false
      await Promise.all(visits)
      for (const agent of agents) if (agent) agent.destroy()
      delay.disable()
      result.ownDelayMs = delay.max / 1e6
      return result
    },
  }
}
