import { constants, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { LinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import type { Log } from '#handlers/ports/log.ts'
import { ownCertificateStamp, readOwnCertificate } from '../link-trust/own-certificate.ts'
import type { HeldTrust } from '../link-trust/trust-file.ts'
import { watchTrust } from '../link-trust/watched-trust.ts'
import { createKnownPeers } from './known-peers.ts'
import { createPassOn } from './pass-on.ts'
import { createStrangers } from './strangers.ts'
import { createTunnelServer } from './tunnel-server.ts'

/** Where a link listens. */
export interface LinkListen {
  host: string
  port: number
  ipv6Only: boolean
}

/** What a link does not let itself be used up by. */
export interface LinkBounds {
  /** Connections that have not shown who they are. */
  maxStrangers: number
  /** Connections of one panel. */
  maxPerPanel: number
  maxBodyBytes: number
  maxHeldBytes: number
  maxHeaderBytes: number
  handshakeMs: number
  /** For a whole request to arrive. */
  requestMs: number
}

const BOUNDS: LinkBounds = {
  maxStrangers: 32,
  maxPerPanel: 8,
  maxBodyBytes: 8 * 2 ** 20,
  maxHeldBytes: 64 * 2 ** 20,
  maxHeaderBytes: 8 * 1024,
  handshakeMs: 5000,
  requestMs: 25_000,
}
/** Longer than clients keep theirs, so that none sends into a connection that is being closed. */
const KEEP_ALIVE_MS = 65_000
/** Nothing goes either way for so long: the peer is gone or does not read. */
const SILENCE_MS = 70_000
const LOOK_MS = 1000

/** A running link. */
export interface RunningLink {
  /** Ports that are listened on; none while nobody is trusted. */
  ports(): number[]
  close(): Promise<void>
}

const fingerprintsOf = (trust: HeldTrust): Set<string> =>
  new Set(
    trust.list.panels.map(({ certificate }) => new X509Certificate(certificate).fingerprint256),
  )

const contextOf = (own: LinkCertificate, trust: HeldTrust) => ({
  key: own.key,
  cert: own.certificate,
  // These and nothing else: without the system's, and no panel can vouch for another.
  ca: trust.list.panels.map(({ certificate }) => certificate),
  minVersion: 'TLSv1.3' as const,
  // A resumed session would not be looked at again.
  secureOptions: constants.SSL_OP_NO_TICKET,
})

/**
 * Ends TLS 1.3 for panels of the trust list, which show the very certificate that stands there, and
 * passes their requests on. It is open only while somebody is trusted: without a list, with an empty
 * or a broken one it listens on nothing. Everything is bounded, before and after the handshake.
 */
export const serveLink = async (options: {
  listen: LinkListen[]
  /** `linkDirectory`. */
  directory: string
  /** The agent's socket. */
  socketPath: string
  /** Descriptor of a unix socket for tunnels, opened outside. Default: there is none. */
  tunnelFd?: number | null
  log: Log
  bounds?: Partial<LinkBounds>
  lookMs?: number
}): Promise<RunningLink> => {
  const { directory, log } = options
  const bounds = { ...BOUNDS, ...options.bounds }
  const watched = watchTrust(directory, log)
  const peers = createKnownPeers(bounds.maxPerPanel)
  const passOn = createPassOn(options.socketPath, bounds)
  let trusted = new Set<string>()
  let servers: Server[] = []
  let applied: HeldTrust | null = null

  const isTrusted = (socket: TLSSocket): string | null => {
    // The handshake proved that it holds the key; that it is one of the list's own, this.
    const fingerprint = socket.authorized
      ? socket.getPeerX509Certificate()?.fingerprint256
      : undefined
    return fingerprint !== undefined && trusted.has(fingerprint) ? fingerprint : null
  }

  let own: LinkCertificate | null = null
  let ownStamp = ''
  /** The machine's certificate as it is at this moment. */
  const ownNow = (): LinkCertificate => {
    const stamp = ownCertificateStamp(directory)
    if (own !== null && stamp === ownStamp) return own
    ownStamp = stamp
    try {
      return (own = readOwnCertificate(directory))
    } catch (error) {
      if (own === null) throw error
      log.error('the certificate of this machine cannot be read; the one before is shown', {
        error: String(error),
      })
      return own
    }
  }
  const serverFor = (trust: HeldTrust): Server => {
    const strangers = createStrangers(bounds.maxStrangers)
    const server = createServer(
      {
        ...contextOf(ownNow(), trust),
        requestCert: true,
        rejectUnauthorized: true,
        handshakeTimeout: bounds.handshakeMs,
        maxHeaderSize: bounds.maxHeaderBytes,
        requestTimeout: bounds.requestMs,
        headersTimeout: Math.min(bounds.requestMs, 10_000),
        connectionsCheckingInterval: Math.min(bounds.requestMs, 1000),
        keepAliveTimeout: KEEP_ALIVE_MS,
      },
      (incoming, outgoing) => {
        const socket = incoming.socket as TLSSocket
        look()
        if (isTrusted(socket) === null) return void socket.destroy()
        peers.busy(socket, true)
        outgoing.once('close', () => peers.busy(socket, false))
        void passOn(incoming, outgoing)
      },
    )
    server.maxHeadersCount = 32
    server.timeout = SILENCE_MS
    // First of all, for the handshake is judged by the list of this moment.
    server.prependListener('connection', (socket: Socket) => {
      strangers.add(socket)
      look()
    })
    server.on('secureConnection', (socket) => {
      strangers.remove(socket.remotePort, socket.remoteAddress)
      look()
      const fingerprint = isTrusted(socket)
      if (fingerprint === null || !peers.add(fingerprint, socket)) socket.destroy()
    })
    server.on('tlsClientError', (_, socket) => socket.destroy())
    return server
  }

  const open = async (trust: HeldTrust): Promise<void> => {
    for (const listen of options.listen) {
      const server = serverFor(trust)
      servers.push(server)
      server.listen(listen)
      await once(server, 'listening')
    }
    log.info('the link listens', { panels: trust.list.panels.map(({ id }) => id) })
  }
  const shut = async (): Promise<void> => {
    const open = servers
    servers = []
    peers.prune(() => false)
    await Promise.all(
      open.map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve())
            server.closeAllConnections()
          }),
      ),
    )
  }

  let changing = Promise.resolve()
  let said = ''
  const change = async (): Promise<void> => {
    if (applied === null && servers.length > 0) {
      log.error('no panel is trusted any more; the link listens on nothing')
      await shut()
    }
    if (applied === null || servers.length > 0) return
    try {
      await open(applied)
      said = ''
    } catch (error) {
      await shut()
      // Tried again at each look; said once.
      if (said !== String(error)) log.error('the link cannot listen', { error: String(error) })
      said = String(error)
    }
  }
  /** For who connects from now on. */
  const reset = (trust: HeldTrust): void => {
    for (const server of servers) server.setSecureContext(contextOf(ownNow(), trust))
  }
  /** Takes up what the files say. */
  const look = (): void => {
    const now = watched.now()
    const isChanged = own !== null && ownCertificateStamp(directory) !== ownStamp
    if (isChanged && now !== null && now === applied) reset(now)
    if (now !== applied) {
      applied = now
      trusted = now === null ? new Set() : fingerprintsOf(now)
      peers.prune((fingerprint) => trusted.has(fingerprint))
      if (now !== null) reset(now)
    }
    if ((applied === null) !== (servers.length === 0)) changing = changing.then(change)
  }

  look()
  const tunnelFd = options.tunnelFd ?? null
  const tunnel =
    tunnelFd === null
      ? null
      : createTunnelServer({
          ...{ ...bounds, maxConnections: bounds.maxStrangers, silenceMs: SILENCE_MS },
          // Of its own: strangers may get so far, and must not use up what bodies of panels may hold.
          passOn: createPassOn(options.socketPath, bounds),
          isOpen() {
            look()
            return applied !== null
          },
        }).listen({ fd: tunnelFd })
  if (tunnel !== null) await once(tunnel, 'listening')
  if (applied === null)
    log.error('no panel is trusted, so the link listens on nothing; see "berth agent join"')
  await changing
  const looking = setInterval(look, options.lookMs ?? LOOK_MS)
  return {
    ports: () => servers.map((server) => (server.address() as AddressInfo).port),
    async close() {
      clearInterval(looking)
      tunnel?.close()
      tunnel?.closeAllConnections()
      await changing
      await shut()
    },
  }
}
