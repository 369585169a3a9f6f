import type { TLSSocket } from 'node:tls'
import type { IdleConnection } from '../connections/idle-room.ts'
import type { EngineCounters } from '../http1/connection-services.ts'
import { Http2Connection } from './http2-connection.ts'
import type { Http2Services } from './http2-services.ts'

const SWEEP_MS = 500

export type Http2EngineOptions = Omit<Http2Services, 'counters' | 'draining' | 'load'>

/** Serves HTTP/2 on sockets whose TLS handshake agreed on it. */
export interface Http2Engine {
  serve(socket: TLSSocket): void
  counters(): EngineCounters
  connections(): number
  /** Every connection, for whoever must close idle ones. */
  all(): Iterable<IdleConnection>
  /** Says goodbye on every connection, answers what is under way; resolves when none is left. */
  drain(): Promise<void>
  /** Drops everything at once. */
  destroy(): void
}

export const createHttp2Engine = (options: Http2EngineOptions): Http2Engine => {
  const connections = new Set<Http2Connection>()
  const counters: EngineCounters = { requests: 0, fastHits: 0, fastBytes: 0, handedOver: 0 }
  let draining = false
  let onEmpty: (() => void) | null = null
  const services: Http2Services = {
    ...options,
    counters,
    load: { running: 0 },
    draining: () => draining,
  }
  const forget = (connection: Http2Connection): void => {
    connections.delete(connection)
    if (connections.size === 0) onEmpty?.()
  }
  const sweep = setInterval(() => {
    if (connections.size === 0) return
    options.clock.update()
    for (const connection of connections) connection.sweep(options.clock.nowMs, draining)
  }, SWEEP_MS)
  sweep.unref()
  return {
    serve: (socket) => {
      options.clock.update()
      if (socket.destroyed) return
      connections.add(new Http2Connection(socket, services, forget))
    },
    counters: () => ({ ...counters }),
    connections: () => connections.size,
    all: () => connections,
    drain: async () => {
      draining = true
      for (const connection of connections) connection.retire()
      if (connections.size > 0) await new Promise<void>((resolve) => (onEmpty = resolve))
      clearInterval(sweep)
    },
    destroy: () => {
      clearInterval(sweep)
      for (const connection of connections) connection.destroy()
    },
  }
}
