import type { IncomingMessage, ServerResponse } from 'node:http'

export interface SlowClientLimits {
  /** How long a client may send nothing of its body, or take nothing of its response. */
  idleMs: number
  /** How often its average is looked at, first after one such time. */
  lookMs: number
  /** What a body brings on average at least. */
  minBytesPerSec: number
}

/** A slow link may take a day for its upload; who sends a byte a minute only holds a connection. */
export const SLOW_CLIENT_LIMITS: SlowClientLimits = {
  // A full send buffer takes that long to empty over a slow link before we notice.
  idleMs: 300_000,
  lookMs: 600_000,
  minBytesPerSec: 256,
}

/**
 * Ends the connection of a client that halts in the middle of its body or of its
 * answer, or sends next to nothing. There is no limit to a whole transfer, and none
 * to the time that we take: that is not the client's fault.
 */
export const watchClient = (
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  limits: SlowClientLimits,
): void => {
  const { socket } = incoming
  const { idleMs, lookMs, minBytesPerSec } = limits
  // What has come and waits for us does not count against it.
  const owesBody = (): boolean => !incoming.complete && incoming.readableLength === 0
  const startedMs = performance.now()
  const before = socket.bytesRead
  const timer = setInterval(() => {
    if (incoming.complete) return clearInterval(timer)
    const secs = (performance.now() - startedMs) / 1000
    if (owesBody() && (socket.bytesRead - before) / secs < minBytesPerSec) socket.destroy()
  }, lookMs)
  timer.unref()
  outgoing.once('close', () => clearInterval(timer))
  socket.setTimeout(idleMs)
  // Node asks the response first; without a listener here it ends the connection.
  outgoing.on('timeout', () => {
    if (owesBody() || outgoing.writableLength > 0) socket.destroy()
    else socket.setTimeout(idleMs)
  })
}
