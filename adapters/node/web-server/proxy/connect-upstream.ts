import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync } from 'node:fs'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { checkServerIdentity, connect as connectTls } from 'node:tls'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import { linkName } from '#adapters/shared/host-rpc/link/link-name.ts'
import type { VirtualHostConfig } from '#handlers/domain/config/config-types.ts'
import type { ProxyUpstream } from '#handlers/domain/upstreams/proxy-upstream.ts'
import { OriginError } from '#handlers/sites/origins/php-origin.ts'
import type { ChannelKeys } from '../../web-channel/channel-files.ts'
import { asUnreachable } from './upstreams/open-connection.ts'
import { UpstreamError } from './upstreams/upstream-error.ts'

/** Names a file without opening it. Not among Node's constants. */
const O_PATH = 0o10000000

/**
 * Opens an account's socket file by name and judges what that is: a socket of
 * the account, really inside its home. A link to one of ours, or to another
 * account's, would otherwise be opened with our rights.
 */
const openJudged = (path: string, { uid, home }: VirtualHostConfig): number => {
  if (home === null) throw new OriginError(502, 'the account has no home')
  let fd: number
  try {
    fd = openSync(path, O_PATH | constants.O_NOFOLLOW)
  } catch (error) {
    throw asUnreachable(error)
  }
  try {
    const stats = fstatSync(fd)
    const place = readlinkSync(`/proc/self/fd/${fd}`)
    const own = uid === null || stats.uid === uid
    if (stats.isSocket() && own && place.startsWith(`${realpathSync.native(home)}/`)) return fd
  } catch (error) {
    closeSync(fd)
    throw asUnreachable(error)
  }
  closeSync(fd)
  throw new UpstreamError(
    'unreachable',
    502,
    "the upstream is no socket of the account's in its home",
  )
}

const connectJudged = (path: string, vhost: VirtualHostConfig): Socket => {
  const fd = openJudged(path, vhost)
  // Whatever lies at the path by now, this is the file that was judged.
  const socket = connect(`/proc/self/fd/${fd}`)
  const release = (): void => {
    socket.off('connect', release)
    socket.off('close', release)
    closeSync(fd)
  }
  socket.on('connect', release)
  socket.on('close', release)
  return socket
}

/** Options of a TLS connection to an application. */
export const tlsOptions = (host: string, verify: boolean) => ({
  rejectUnauthorized: verify,
  ALPNProtocols: ['http/1.1'],
  // An address is no server name (RFC 6066, 3).
  ...(isIP(host) === 0 ? { servername: host } : {}),
})

/** Options of a TLS connection over the web channel: that very certificate, and ours. Throws `OriginError` 502 where none is known. */
export const channelOptions = (id: string, keys: ChannelKeys | null) => {
  const peer = keys?.peers.find((one) => one.id === id)
  if (keys === null || peer === undefined)
    throw new OriginError(502, `the web channel knows no machine ${id}`)
  return {
    key: keys.key,
    cert: keys.certificate,
    ca: [peer.certificate],
    minVersion: 'TLSv1.3' as const,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    servername: linkName(id),
    checkServerIdentity: (name: string, shown: PeerCertificate) =>
      checkServerIdentity(name, shown) ??
      (shown.fingerprint256 === peer.fingerprint
        ? undefined
        : new Error('the machine shows another certificate than is known of it')),
  }
}

/** What a rule says of its connections, beside where they lead. */
export interface UpstreamWay {
  /** Of a connection over the web channel, in place of the usual. */
  channel?: ReturnType<typeof channelOptions>
  /** Whether its certificate is checked. */
  verifyTls: boolean
  /** DNS by which its name is looked up; default: the system's. */
  lookup?: LookupFunction
}

/** Begins a connection of its own to an application. Throws `OriginError` 502 where the account may not have it. */
export const connectUpstream = (
  target: ProxyUpstream,
  vhost: VirtualHostConfig,
  { channel, verifyTls, lookup }: UpstreamWay,
): Socket | TLSSocket => {
  if (target.kind === 'unix') {
    return vhost.username === null ? connect(target.path) : connectJudged(target.path, vhost)
  }
  const { host, port, secure } = target
  const way = { host, port, ...(lookup === undefined ? {} : { lookup }) }
  if (!secure) return connect({ ...way, noDelay: true })
  const socket = connectTls({ ...way, ...(channel ?? tlsOptions(host, verifyTls)) })
  socket.setNoDelay(true)
  return socket
}
