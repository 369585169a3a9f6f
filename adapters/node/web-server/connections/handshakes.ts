import type { Socket } from 'node:net'
import type { Server } from 'node:tls'
import type { IdleConnection } from './idle-room.ts'

const nameOf = ({ remoteAddress, remotePort, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localPort}`

class Handshake implements IdleConnection {
  readonly #socket: Socket
  readonly #sinceMs = Date.now()

  constructor(socket: Socket) {
    this.#socket = socket
  }

  get idleSinceMs(): number | null {
    return this.#socket.destroyed ? null : this.#sinceMs
  }

  closeIdle(): void {
    this.#socket.destroy()
  }
}

/** Connections that have not finished their TLS handshake: nobody's answer is lost with them. */
export class Handshakes {
  readonly #open = new Map<string, IdleConnection>()

  /** Watches the handshakes of a server that is fed with `begin`. */
  watch(server: Server): void {
    server.on('secureConnection', (socket) => this.#open.delete(nameOf(socket)))
  }

  begin(socket: Socket): void {
    const name = nameOf(socket)
    const entry = new Handshake(socket)
    this.#open.set(name, entry)
    socket.once('close', () => {
      if (this.#open.get(name) === entry) this.#open.delete(name)
    })
  }

  all(): Iterable<IdleConnection> {
    return this.#open.values()
  }
}
