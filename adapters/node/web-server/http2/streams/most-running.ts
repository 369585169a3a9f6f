import { MAX_STREAMS } from '../session/open-session.ts'

/** Requests of a worker over all connections, beyond which a connection may have only a few. */
const BUSY_REQUESTS = 1024
const STREAMS_WHEN_BUSY = 8

/**
 * How many requests of one connection may run at sites. Where many wait, what each
 * connection may hold is cut: a browser asks again for what was refused.
 */
export const mostRunning = ({ running }: { running: number }): number =>
  running < BUSY_REQUESTS ? MAX_STREAMS : STREAMS_WHEN_BUSY
