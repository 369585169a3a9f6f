import { TLSSocket } from 'node:tls'
import type { VirtualHostTable } from '#handlers/sites/names/virtual-host-table.ts'
import {
  createHttp1Engine,
  type Http1Engine,
  type Http1EngineOptions,
} from './http1/http1-engine.ts'
import { createHttp2Engine } from './http2/http2-engine.ts'

/** Serves each connection in the protocol that its TLS handshake agreed on (RFC 7301); HTTP/1 otherwise. */
export const createSiteEngine = async (
  options: Http1EngineOptions & { hosts: () => VirtualHostTable },
): Promise<Http1Engine> => {
  const http1 = await createHttp1Engine(options)
  const http2 = createHttp2Engine(options)
  return {
    serve: (socket, secure) => {
      if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') http2.serve(socket)
      else http1.serve(socket, secure)
    },
    serveFront: (socket) => http1.serveFront(socket),
    counters: () => {
      const sum = http1.counters()
      const more = http2.counters()
      sum.requests += more.requests
      sum.fastHits += more.fastHits
      sum.fastBytes += more.fastBytes
      return sum
    },
    connections: () => http1.connections() + http2.connections(),
    all: function* () {
      yield* http1.all()
      yield* http2.all()
    },
    drain: async () => {
      await Promise.all([http1.drain(), http2.drain()])
    },
    destroy: () => {
      http1.destroy()
      http2.destroy()
    },
  }
}
