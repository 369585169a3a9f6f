import { connect, createServer, type Socket } from 'node:net'

/** A port of this machine, or the path of a unix socket. */
export type RelayTarget = number | string

/** A port that leads to a server that can be changed, as a virtual address does. */
export interface Relay {
  port: number
  /** Ends all connections; new ones go there, or, with null, nowhere. */
  lead(to: RelayTarget | null): void
  /** Whether nothing is passed on any more while all connections stay, as on a way that swallows packets. */
  swallow(yes: boolean): void
  close(): Promise<void>
}

export const startRelay = async (to: RelayTarget): Promise<Relay> => {
  let target: RelayTarget | null = to
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
    const upstream = typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target)
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
    lead(next) {
      target = next
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
