import { X509Certificate } from 'node:crypto'
import { Agent, request as httpsRequest } from 'node:https'
import type { IncomingMessage } from 'node:http'
import { checkServerIdentity, createSecureContext } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { linkName } from '#adapters/shared/host-rpc/link/link-name.ts'
import { ConnectionBroken, HostAway } from '#adapters/shared/host-rpc/link/signed-send.ts'

/** A host's link, and with what this panel shows itself there. */
export interface LinkFetchOptions {
  /** The host's id. */
  id: string
  address: string
  port: number
  /** The host's certificate (PEM), the only one that is accepted; null before it is known: `shown` is to be proved then. */
  certificate: string | null
  /** One that is accepted as well, for it is to take that one's place. Default: none is. */
  next?: string | null
  own: { key: string; certificate: string }
  connectMs?: number
  /** For a whole answer; above what a host takes for one. */
  answerMs?: number
}

/** What sends requests to a host's link. */
export interface LinkFetch {
  send(request: Request): Promise<Response>
  /** The same over a connection that nothing else uses, so that a long transfer does not make a host look dead. */
  probe(request: Request): Promise<Response>
  /** The certificate that the host showed last (PEM); null before it did. */
  shown(): string | null
  close(): void
}

/** With the one for probes the eight that a link lets one panel have. */
const MAX_SOCKETS = 7
const CONNECT_MS = 3000
const ANSWER_MS = 30_000
const MAX_BYTES = 96 * 2 ** 20

const bytesOf = async (incoming: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes > MAX_BYTES) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  if (!incoming.complete) throw new Error('the answer broke off')
  return new Uint8Array(Buffer.concat(chunks))
}

/** fetch over TLS 1.3 to one host, which must show exactly the certificate that is known of it. */
export const createLinkFetch = (options: LinkFetchOptions): LinkFetch => {
  const { id, address, port, certificate, own, next = null } = options
  const accepted = [certificate, next].filter((one) => one !== null)
  const pinned = new Set(accepted.map((one) => new X509Certificate(one).fingerprint256))
  let shownLast: string | null = null
  // One for all connections: what a machine costs in memory is mostly these.
  const secureContext = createSecureContext({
    ...(certificate === null ? {} : { ca: accepted }),
    ...{ key: own.key, cert: own.certificate, minVersion: 'TLSv1.3' },
  })
  const agentOf = (maxSockets: number): Agent =>
    new Agent({
      keepAlive: true,
      maxSockets,
      // Below what the link keeps them, so that none is used that is just being closed.
      timeout: 50_000,
      maxCachedSessions: 0,
      // Where none is known nobody is believed by his certificate.
      ...(certificate === null ? { rejectUnauthorized: false } : {}),
      ...{ secureContext, servername: linkName(id) },
      checkServerIdentity: (name, shown) =>
        checkServerIdentity(name, shown) ??
        (pinned.has(shown.fingerprint256)
          ? undefined
          : new Error('the host shows another certificate than is known of it')),
    })
  const [all, probes] = [agentOf(MAX_SOCKETS), agentOf(1)]

  const ask = async (agent: Agent, request: Request): Promise<Response> => {
    const body = new Uint8Array(await request.arrayBuffer())
    const { pathname } = new URL(request.url)
    return new Promise((resolve, reject) => {
      let isConnected = false
      const outgoing = httpsRequest({
        ...{ agent, host: address, port, path: pathname, method: request.method },
        headers: {
          ...Object.fromEntries(request.headers),
          'content-length': String(body.byteLength),
        },
        signal: AbortSignal.any([
          request.signal,
          AbortSignal.timeout(options.answerMs ?? ANSWER_MS),
        ]),
      })
      outgoing.on('socket', (socket) => {
        if (outgoing.reusedSocket) {
          isConnected = true
          return
        }
        const timer = setTimeout(
          () => outgoing.destroy(new Error('no connection within the time')),
          options.connectMs ?? CONNECT_MS,
        )
        socket.once('secureConnect', () => {
          isConnected = true
          shownLast = (socket as TLSSocket).getPeerX509Certificate()?.toString() ?? null
          clearTimeout(timer)
        })
        socket.once('close', () => clearTimeout(timer))
      })
      outgoing.on('error', (error) =>
        reject(isConnected ? new ConnectionBroken(id, error) : new HostAway(id, error)),
      )
      outgoing.on('response', (incoming) => {
        bytesOf(incoming).then(
          (bytes) =>
            resolve(
              new Response(bytes, {
                status: incoming.statusCode ?? 502,
                headers: { 'content-type': incoming.headers['content-type'] ?? '' },
              }),
            ),
          (error: unknown) => {
            incoming.destroy()
            reject(new ConnectionBroken(id, error))
          },
        )
      })
      outgoing.end(body)
    })
  }
  return {
    send: (request) => ask(all, request),
    probe: (request) => ask(probes, request),
    shown: () => shownLast,
    close() {
      all.destroy()
      probes.destroy()
    },
  }
}
