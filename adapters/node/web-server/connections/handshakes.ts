import type { Socket } from 'node:net'
import type { Server } from 'node:tls'
import type { IdleConnection } from './idle-room.ts'

const nameOf = ({ remoteAddress, remotePort, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localPort}`

/** Connections that have not finished their TLS handshake: nobody's answer is lost with them. */
export class Handshakes {
  readonly #open = new Map<string, IdleConnection>()

  /** Watches the handshakes of a server that is fed with `begin`. */
  watch(server: Server): void {
    server.on('secureConnection', (socket) => this.#open.delete(nameOf(socket)))
  }

  begin(socket: Socket): void {
    const name = nameOf(socket)
    const sinceMs = Date.now()
    const entry: IdleConnection = {
      get idleSinceMs() {
        return socket.destroyed ? null : sinceMs
      },
      closeIdle: () => socket.destroy(),
    }
    this.#open.set(name, entry)
    socket.once('close', () => {
      if (this.#open.get(name) === entry) this.#open.delete(name)
    })
  }

  all(): Iterable<IdleConnection> {
    return this.#open.values()
  }
}
