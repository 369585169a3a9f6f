import type { Log } from '#handlers/ports/log.ts'
import type { ConnectionReport } from './connection-messages.ts'

const MINUTE_MS = 60_000
/** Addresses named within a minute; more of them are an attack that the counters show. */
const MAX_LINES = 100

/** Logs refused connections, each address at most once a minute. */
export class RefusalLog {
  readonly #log: Log
  readonly #nowMs: () => number
  readonly #said = new Map<string | null, number>()
  #minuteMs = -Infinity

  constructor(log: Log, nowMs: () => number = () => performance.now()) {
    this.#log = log
    this.#nowMs = nowMs
  }

  note(refused: ConnectionReport['refused']): void {
    if (refused.length === 0) return
    const nowMs = this.#nowMs()
    if (nowMs - this.#minuteMs >= MINUTE_MS) {
      this.#minuteMs = nowMs
      for (const [address, atMs] of this.#said)
        if (nowMs - atMs >= MINUTE_MS) this.#said.delete(address)
    }
    for (const [address, count] of refused) {
      const atMs = this.#said.get(address)
      if (atMs !== undefined && nowMs - atMs < MINUTE_MS) continue
      if (atMs === undefined && this.#said.size >= MAX_LINES) continue
      this.#said.set(address, nowMs)
      const [reason, limit] =
        address === null
          ? ['the server has as many as it may', 'max_connections']
          : ['the address has as many as it may', 'max_connections_per_address']
      this.#log.warn(`connections are refused: ${reason}`, {
        ...(address === null ? {} : { address }),
        count,
        limit: `[server] ${limit}`,
      })
    }
  }
}
