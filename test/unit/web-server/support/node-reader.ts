import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'

/** One request as node:http read it. */
export interface ReadRequest {
  method: string
  target: string
  /** Names and values in turn. */
  rawHeaders: string[]
  /** As latin1. */
  body: string
}

/** What node:http made of a connection's bytes. */
export interface Reading {
  requests: ReadRequest[]
  /** Code of the error that ended it; null when there was none. */
  error: string | null
}

/** An end of a connection that exists in memory only: what is written to it is thrown away. */
class MemorySocket extends Duplex {
  override _read(): void {
    // Bytes are pushed as a whole by whoever made it.
  }

  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done()
  }

  setTimeout(): this {
    return this
  }
}

/**
 * node:http, strict and with the limits of our general server, as the judge of
 * what bytes mean. It never listens: connections are put into it.
 */
export class NodeReader {
  readonly #server: Server
  readonly #readings = new WeakMap<Duplex, Reading>()

  constructor(maxHeadBytes: number) {
    this.#server = createServer({
      maxHeaderSize: maxHeadBytes,
      insecureHTTPParser: false,
      requireHostHeader: false,
      shouldUpgradeCallback: () => false,
    })
    this.#server.maxHeadersCount = 0
    const take = (message: IncomingMessage, out: ServerResponse): void => {
      const request: ReadRequest = {
        method: message.method ?? '',
        target: message.url ?? '',
        rawHeaders: message.rawHeaders,
        body: '',
      }
      this.#readings.get(message.socket)?.requests.push(request)
      message.on('data', (chunk: Buffer) => (request.body += chunk.toString('latin1')))
      message.on('error', () => undefined)
      out.on('error', () => undefined)
      out.end()
    }
    this.#server.on('request', take)
    this.#server.on('checkContinue', take)
    this.#server.on('checkExpectation', take)
    this.#server.on('connect', (message: IncomingMessage, socket: Duplex) => {
      this.#readings.get(socket)?.requests.push({
        method: 'CONNECT',
        target: message.url ?? '',
        rawHeaders: message.rawHeaders,
        body: '',
      })
    })
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
      const reading = this.#readings.get(socket)
      if (reading) reading.error ??= error.code ?? 'unknown'
      socket.destroy()
    })
  }

  /** Reads each of `connections` by itself, all at the same time. */
  async read(connections: readonly Uint8Array[]): Promise<Reading[]> {
    const sockets = connections.map((bytes) => {
      const socket = new MemorySocket()
      socket.on('error', () => undefined)
      const reading: Reading = { requests: [], error: null }
      this.#readings.set(socket, reading)
      this.#server.emit('connection', socket)
      socket.push(Buffer.from(bytes))
      return { socket, reading }
    })
    // Nothing waits for anything but the event loop's own turns here.
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
    for (const { socket } of sockets) socket.destroy()
    return sockets.map(({ reading }) => reading)
  }
}
