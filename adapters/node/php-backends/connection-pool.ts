import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import type { BackendConnection } from './wire/backend-connection.ts'

export interface PoolOptions {
  /** Opens one; rejects with the system's error. */
  connect: () => Promise<BackendConnection>
  maxConnections: number
  /**
   * How many of them may be used again and again while others wait for PHP; the
   * ones beyond end after a moment, so that PHP accepts who waits. Default: all.
   */
  share?: number
  /** Told of each new connection when its first request begins. */
  onConnected?: (connection: BackendConnection) => void
  /** How long a request waits for a free connection, milliseconds. */
  queueTimeoutMs: number
  /** How many requests may wait. */
  maxWaiting: number
  /** How long a free connection is kept, milliseconds. Short: it occupies a PHP process. */
  idleMs: number
  /** Called when nothing is open and nothing waits. */
  onEmpty?: () => void
}

export interface AcquireOptions {
  fresh: boolean
  signal: AbortSignal
}

/** Connections to one PHP backend. */
export interface ConnectionPool {
  /**
   * A connection for one request, at once where one is free. `fresh`: one that was never used, for requests
   * that must not be sent twice. Rejects with `OriginError` 503 when there is no
   * room, and with the system's error when the backend cannot be reached.
   */
  acquire(options: AcquireOptions): BackendConnection | Promise<BackendConnection>
  /** A free connection for a request that may be sent twice; null where there is none. */
  takeFree(): BackendConnection | null
  /** Gives a connection back after its request, in whatever state. */
  release(connection: BackendConnection): void
  /** Open connections, those being opened included. */
  readonly size: number
}

interface Waiter {
  fresh: boolean
  resolve(connection: BackendConnection | Promise<BackendConnection>): void
}

/** How long a connection beyond the share is used again: many short requests pay for it together. */
const BORROWED_MS = 50

export const createConnectionPool = (options: PoolOptions): ConnectionPool => {
  const { maxConnections, idleMs, share = maxConnections } = options
  const openedMs = new WeakMap<BackendConnection, number>()
  /** Free connections and since when, the latest last. */
  const idle = new Map<BackendConnection, number>()
  let sweep: NodeJS.Timeout | null = null
  const waiting = new Set<Waiter>()
  let size = 0

  const connect = async (): Promise<BackendConnection> => {
    size += 1
    try {
      const connection = await options.connect()
      connection.onClose = () => forget(connection)
      openedMs.set(connection, performance.now())
      options.onConnected?.(connection)
      return connection
    } catch (error) {
      size -= 1
      serveNext()
      throw error
    }
  }
  const isOverdue = (connection: BackendConnection): boolean =>
    size > share && performance.now() - (openedMs.get(connection) ?? 0) > BORROWED_MS
  const forget = (connection: BackendConnection): void => {
    idle.delete(connection)
    size -= 1
    serveNext()
  }
  /** Gives the place that became free to who waits longest. */
  const serveNext = (): void => {
    const [next] = waiting
    if (next && size < maxConnections) {
      waiting.delete(next)
      next.resolve(connect())
    }
    if (size === 0 && waiting.size === 0) options.onEmpty?.()
  }
  /** One timer for all: under load it finds connections that were used meanwhile. */
  const closeIdle = (): void => {
    sweep = null
    const now = performance.now()
    for (const [connection, sinceMs] of idle) {
      const leftMs = sinceMs + idleMs - now
      if (leftMs > 0) {
        sweep = setTimeout(closeIdle, leftMs)
        return
      }
      idle.delete(connection)
      connection.destroy()
    }
  }
  const takeIdle = (): BackendConnection | null => {
    for (const connection of idle.keys()) {
      idle.delete(connection)
      if (connection.reusable) return connection
      connection.destroy()
    }
    return null
  }
  const enqueue = (fresh: boolean, signal: AbortSignal): Promise<BackendConnection> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(waiter)
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
      }
      const onAbort = (): void => {
        leave()
        reject(new OriginError(400, 'the client went away'))
      }
      const timer = setTimeout(() => {
        leave()
        reject(
          new OriginError(503, `all ${maxConnections} connections to PHP were busy for too long`),
        )
      }, options.queueTimeoutMs)
      const waiter: Waiter = {
        fresh,
        resolve: (connection) => {
          leave()
          resolve(connection)
        },
      }
      waiting.add(waiter)
      signal.addEventListener('abort', onAbort)
    })

  return {
    takeFree: takeIdle,
    acquire: ({ fresh, signal }) => {
      if (signal.aborted) throw new OriginError(400, 'the client went away')
      const kept = fresh ? null : takeIdle()
      if (kept) return kept
      if (size < maxConnections) return connect()
      if (waiting.size >= options.maxWaiting) {
        throw new OriginError(503, `${waiting.size} requests already wait for PHP`)
      }
      const place = enqueue(fresh, signal)
      // A kept connection is in the way of a fresh one: its end makes room.
      takeIdle()?.destroy()
      return place
    },
    release: (connection) => {
      if (!connection.reusable || isOverdue(connection)) return connection.destroy()
      const [next] = waiting
      if (next?.fresh) return connection.destroy()
      if (next) {
        waiting.delete(next)
        return next.resolve(connection)
      }
      idle.set(connection, performance.now())
      sweep ??= setTimeout(closeIdle, idleMs)
    },
    get size() {
      return size
    },
  }
}
