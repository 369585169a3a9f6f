import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A door before a server of this machine: who knocks while it is shut waits until it opens. */
export interface Gate {
  port: number
  open(): void
  close(): Promise<void>
}

/** Shut at first, so that a test sees what is under way before it can end. */
export const openGate = async (target: number): Promise<Gate> => {
  const { promise: opened, resolve: open } = Promise.withResolvers<undefined>()
  const sockets = new Set<Socket>()
  const join = (one: Socket, other: Socket): void => {
    sockets.add(one)
    one.on('error', () => other.destroy())
    one.on('close', () => sockets.delete(one))
    one.pipe(other)
  }
  const server = createServer((caller) => {
    sockets.add(caller)
    caller.on('error', () => caller.destroy())
    void opened.then(() => {
      const inner = connect(target, '127.0.0.1')
      join(caller, inner)
      join(inner, caller)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the gate has no port')
  return {
    port: address.port,
    open: () => open(undefined),
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
