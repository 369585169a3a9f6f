import type { Socket } from 'node:net'
import { addressKey } from '#handlers/domain/text/client-address.ts'

/** Connections that have not shown who they are yet. */
export interface Strangers {
  /** Counts a connection; where there are too many, one of the address with the most is ended. */
  add(socket: Socket): void
  /** It is known now, or gone. */
  remove(remotePort: number | undefined, remoteAddress: string | undefined): void
  readonly size: number
}

/**
 * Bounds connections before the handshake by ending the oldest of whoever has most of them: so who opens many
 * ends his own, and a panel elsewhere still gets through.
 */
export const createStrangers = (most: number): Strangers => {
  const waiting = new Map<string, { socket: Socket; network: string }>()
  const keyOf = (port = 0, address = ''): string => `${address} ${port}`

  const evict = (): void => {
    const counts = new Map<string, number>()
    for (const { network } of waiting.values()) counts.set(network, (counts.get(network) ?? 0) + 1)
    const [loudest] = [...counts].sort(([, a], [, b]) => b - a)
    for (const [key, { socket, network }] of waiting) {
      if (network !== loudest?.[0]) continue
      waiting.delete(key)
      socket.destroy()
      return
    }
  }

  return {
    add(socket) {
      const key = keyOf(socket.remotePort, socket.remoteAddress)
      waiting.set(key, { socket, network: addressKey(socket.remoteAddress) })
      socket.once('close', () => waiting.delete(key))
      if (waiting.size > most) evict()
    },
    remove: (port, address) => void waiting.delete(keyOf(port, address)),
    get size() {
      return waiting.size
    },
  }
}
