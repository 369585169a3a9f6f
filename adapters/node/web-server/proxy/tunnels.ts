import type { Tunnel } from './tunnel.ts'

/** Open WebSockets get this long to end by themselves when their worker does. */
const DRAIN_GRACE_MS = 5000

/** The open WebSockets of a worker. */
export interface Tunnels {
  /** Notes a tunnel, or ends it at once where its site has been closed meanwhile. */
  add(tunnel: Tunnel): void
  remove(tunnel: Tunnel): void
  /** Ends those whose sites are closed by now. */
  review(): void
  /** Ends all, after a moment's grace. */
  drain(): void
}

/** `isOpen`: whether a virtual host still takes WebSockets; default: always. */
export const createTunnels = (
  isOpen: (domain: string) => boolean = () => true,
  graceMs = DRAIN_GRACE_MS,
): Tunnels => {
  const open = new Set<Tunnel>()
  const endWhere = (test: (tunnel: Tunnel) => boolean): void => {
    for (const tunnel of open) if (test(tunnel)) tunnel.end()
  }
  let draining = false
  return {
    add: (tunnel) => {
      open.add(tunnel)
      if (!isOpen(tunnel.domain)) tunnel.end()
    },
    remove: (tunnel) => {
      open.delete(tunnel)
    },
    review: () => endWhere(({ domain }) => !isOpen(domain)),
    drain: () => {
      if (draining) return
      draining = true
      // Also those that are opened during the grace.
      setTimeout(() => endWhere(() => true), graceMs).unref()
    },
  }
}
