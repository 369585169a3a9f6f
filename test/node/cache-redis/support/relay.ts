import { connect, createServer, type Socket } from 'node:net'

/** A port that leads to a server that can be changed, as a virtual address does. */
export interface Relay {
  port: number
  /** Ends all connections; new ones go to that port, or, with null, nowhere. */
  lead(port: number | null): void
  /** Whether nothing is passed on any more while all connections stay, as on a way that swallows packets. */
  swallow(yes: boolean): void
  close(): Promise<void>
}

export const startRelay = async (port: number): Promise<Relay> => {
  let target: number | null = port
  const sockets = new Set<Socket>()
  let swallows = false
  /** Who reads from whom. */
  const pipes = new Set<readonly [Socket, Socket]>()
  const hold = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  }
  const server = createServer((client) => {
    hold(client)
    if (target === null) return void client.destroy()
    const upstream = connect(target, '127.0.0.1')
    hold(upstream)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      const pipe = [one, other] as const
      pipes.add(pipe)
      if (!swallows) one.pipe(other)
      one.on('close', () => {
        pipes.delete(pipe)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the relay has no port')
  const end = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: address.port,
    lead(to) {
      target = to
      end()
    },
    swallow(yes) {
      swallows = yes
      for (const [one, other] of pipes)
        if (yes) one.unpipe(other).pause()
        else one.pipe(other)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        end()
      }),
  }
}
