import type { TLSSocket } from 'node:tls'

/** Connections of panels, by their certificates. */
export interface KnownPeers {
  /** False: the panel has too many, all in use; the connection is to be ended. */
  add(fingerprint: string, socket: TLSSocket): boolean
  /** A request begins or has ended on it. */
  busy(socket: TLSSocket, isBusy: boolean): void
  /** Ends those of whom `isTrusted` says no. */
  prune(isTrusted: (fingerprint: string) => boolean): void
}

/** At most `most` for each; who opens another one loses the one that rests longest. */
export const createKnownPeers = (most: number): KnownPeers => {
  const peers = new Map<TLSSocket, { fingerprint: string; requests: number }>()
  return {
    add(fingerprint, socket) {
      const own = [...peers].filter(([, peer]) => peer.fingerprint === fingerprint)
      if (own.length >= most) {
        const resting = own.find(([, { requests }]) => requests === 0)
        if (resting === undefined) return false
        peers.delete(resting[0])
        resting[0].destroy()
      }
      peers.set(socket, { fingerprint, requests: 0 })
      socket.once('close', () => peers.delete(socket))
      return true
    },
    busy(socket, isBusy) {
      const peer = peers.get(socket)
      if (peer === undefined) return
      // Inserted anew: the map's order is that of their last use.
      peers.delete(socket)
      peers.set(socket, { ...peer, requests: peer.requests + (isBusy ? 1 : -1) })
    },
    prune(isTrusted) {
      for (const [socket, { fingerprint }] of peers) if (!isTrusted(fingerprint)) socket.destroy()
    },
  }
}
