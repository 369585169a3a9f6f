import { Duplex } from 'node:stream'

type Done = (error?: Error | null) => void

/** What Node's session takes for its socket. */
export const createSessionDuplex = (ends: {
  /** The session wants to read. */
  resume(): void
  /** The session sends. */
  send(chunks: Buffer[], done: Done): void
  /** The session has sent everything. */
  end(): void
  /** The session is through with the connection. */
  destroy(): void
}): Duplex => {
  const duplex = new Duplex({
    read: () => ends.resume(),
    writev: (chunks, done) => {
      const buffers = chunks.map(({ chunk }) => chunk as Buffer)
      ends.send(buffers, done)
    },
    final: (done) => {
      ends.end()
      done()
    },
    destroy: (_error, done) => {
      ends.destroy()
      done(null)
    },
  })
  duplex.on('error', () => undefined)
  return duplex
}
