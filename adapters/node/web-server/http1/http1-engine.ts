import type { Socket } from 'node:net'
import type { IdleConnection } from '../connections/idle-room.ts'
import { believeFront } from '../front/told-facts.ts'
import { createTunnels, type Tunnels } from '../proxy/tunnels.ts'
import { createGeneralServer } from './general/general-server.ts'
import type { ConnectionServices, EngineCounters } from './connection-services.ts'
import { Http1Connection } from './http1-connection.ts'
import { KnownTargets } from './head/known-targets.ts'

const SWEEP_MS = 500

export interface Http1EngineOptions extends Omit<
  ConnectionServices,
  'counters' | 'draining' | 'handOver' | 'targets'
> {
  /** 0 is unlimited. */
  maxBodyBytes: number
  /** Within what time a whole request with a body must have arrived. */
  requestMs: number
  /** Open WebSockets; default: a list of its own. */
  tunnels?: Tunnels
}

/** Serves HTTP/1 on sockets that listeners accept. */
export interface Http1Engine {
  /** Serves a connection; `secure` says that it is TLS. */
  serve(socket: Socket, secure: boolean): void
  /** Serves a connection of a front, whose word on its visitors is believed. */
  serveFront(socket: Socket): void
  counters(): EngineCounters
  connections(): number
  /** Every connection, for whoever must close idle ones. */
  all(): Iterable<IdleConnection>
  /** Answers what is under way, closes what idles; resolves when no connection is left. */
  drain(): Promise<void>
  /** Drops everything at once. */
  destroy(): void
}

export const createHttp1Engine = async (options: Http1EngineOptions): Promise<Http1Engine> => {
  const connections = new Set<Http1Connection>()
  const counters: EngineCounters = { requests: 0, fastHits: 0, fastBytes: 0, handedOver: 0 }
  let draining = false
  const tunnels = options.tunnels ?? createTunnels()
  const general = await createGeneralServer({
    site: options.site,
    accessLog: options.accessLog,
    clock: options.clock,
    log: options.log,
    times: { ...options.times, requestMs: options.requestMs },
    maxHeadBytes: options.maxHeadBytes,
    tunnels,
    maxBodyBytes: options.maxBodyBytes,
    draining: () => draining,
    onRequest: () => counters.requests++,
  })
  const services: ConnectionServices = {
    ...options,
    targets: new KnownTargets(),
    counters,
    draining: () => draining,
    handOver: (...taken) => general.take(...taken),
  }
  const forget = (connection: Http1Connection): void => {
    connections.delete(connection)
  }
  const sweep = setInterval(() => {
    options.clock.update()
    const { nowMs } = options.clock
    for (const connection of connections) connection.sweep(nowMs, draining)
    for (const connection of general.all()) connection.sweep(nowMs)
  }, SWEEP_MS)
  sweep.unref()

  return {
    serve: (socket, secure) => {
      options.clock.update()
      connections.add(new Http1Connection(socket, secure, services, forget))
    },
    serveFront: (socket) => {
      options.clock.update()
      believeFront(socket)
      general.take(socket, Buffer.alloc(0), options.times.headMs)
    },
    counters: () => ({ ...counters }),
    connections: () => connections.size + general.connections(),
    all: function* () {
      yield* connections
      yield* general.all()
    },
    drain: async () => {
      draining = true
      tunnels.drain()
      await general.drain()
      while (connections.size > 0 || general.connections() > 0) {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      clearInterval(sweep)
    },
    destroy: () => {
      clearInterval(sweep)
      for (const connection of connections) connection.destroy()
      general.destroy()
    },
  }
}
