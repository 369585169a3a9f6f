import type { Duplex } from 'node:stream'

/** How long one end may stay half open, or take to close, once the other has ended. */
const FAREWELL_MS = 5000

/** Two connections whose bytes go to each other. */
export interface Tunnel {
  /** The virtual host's primary domain. */
  domain: string
  /** Ends both sides in order, by force if that takes too long. */
  end(): void
}

/**
 * Joins two connections: bytes go both ways at the pace of the slower end, the
 * end of one side is passed on, and silence of `idleMs` in both directions or
 * the failure of one ends both. `onEnd` gets the bytes that the client was sent.
 */
export const joinTunnel = (
  client: Duplex,
  upstream: Duplex,
  options: { domain: string; idleMs: number; onEnd(bytesToClient: number): void },
): Tunnel => {
  let bytesToClient = 0
  let ended = false
  const destroy = (): void => {
    client.destroy()
    upstream.destroy()
  }
  let timer = setTimeout(destroy, options.idleMs)
  let farewell = false
  const sayFarewell = (): void => {
    if (farewell) return
    farewell = true
    clearTimeout(timer)
    timer = setTimeout(destroy, FAREWELL_MS)
  }
  const onClose = (): void => {
    sayFarewell()
    // What was received is still delivered; a side that is gone takes nothing any more.
    for (const side of [client, upstream]) if (!side.destroyed && !side.writableEnded) side.end()
    if (ended || !client.destroyed || !upstream.destroyed) return
    ended = true
    clearTimeout(timer)
    options.onEnd(bytesToClient)
  }
  for (const side of [client, upstream]) {
    side.on('error', () => side.destroy())
    side.on('close', onClose)
    side.on('data', () => timer.refresh())
    side.on('end', sayFarewell)
  }
  upstream.on('data', (chunk: Buffer) => (bytesToClient += chunk.length))
  client.pipe(upstream)
  upstream.pipe(client)
  if (client.destroyed || upstream.destroyed) destroy()
  return {
    domain: options.domain,
    end: () => {
      sayFarewell()
      client.end()
      upstream.end()
    },
  }
}
