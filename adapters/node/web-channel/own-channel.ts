import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { createLinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import { linkCertificate, linkId } from '#adapters/shared/host-rpc/link/trust-list.ts'
import { fromBase64Url, toBase64Url } from '#handlers/domain/text/base64-url.ts'
import type { ChannelPeer, ChannelRole } from '#handlers/ports/host/web/web-channel.ts'
import { writeWhole } from '../layout/write-whole.ts'
import { judgeCertificate } from '../link-trust/trust-file.ts'
import {
  channelCertificateFile,
  channelKeyFile,
  channelPeersFile,
  parsePeers,
  peersText,
} from './channel-files.ts'

/** Why a machine is not taken into the list. */
export class ChannelRefused extends Error {
  constructor(reason: string) {
    super(`The web channel refuses it: ${reason}.`)
    this.name = 'ChannelRefused'
  }
}

/** The web server's group, which reads what lies there; null where one user does it all. */
type Reader = { gid: number } | null

const PREFIX = 'berth-web-1.'
const MAX_CHARACTERS = 8192
const lineSchema = z.strictObject({
  id: linkId,
  role: z.enum(['host', 'front']),
  certificate: linkCertificate,
})
/** In `subjectAltName`; see `linkName`. */
const NAME = /^DNS:([a-z0-9-]+)\.berth\.internal$/
const USES = { host: 'server', front: 'client' } as const

const modes = (reader: Reader) => ({
  mode: reader === null ? 0o600 : 0o640,
  ...(reader !== null && { owner: { uid: 0, gid: reader.gid } }),
})

/** The machines that the list names now; none where there is no list. */
export const channelPeers = (directory: string): ChannelPeer[] => {
  const file = channelPeersFile(directory)
  if (!existsSync(file)) return []
  return parsePeers(readFileSync(file, 'utf8')).map(({ id, certificate }) => ({ id, certificate }))
}

const write = (directory: string, peers: readonly ChannelPeer[], reader: Reader): void =>
  writeWhole(channelPeersFile(directory), peersText(peers), modes(reader))

/** Makes this machine a key and its certificate. */
const makeOwn = async (
  directory: string,
  { id, role }: { id: string; role: ChannelRole },
  reader: Reader,
): Promise<void> => {
  const own = await createLinkCertificate(id, USES[role])
  mkdirSync(directory, { recursive: true })
  // Whatever the umask says: the web server enters it, and its group reads what lies there.
  chmodSync(directory, 0o755)
  writeWhole(channelKeyFile(directory), own.key, modes(reader))
  if (!existsSync(channelPeersFile(directory))) write(directory, [], reader)
  // Last of all: with it the key counts.
  writeWhole(channelCertificateFile(directory), own.certificate, modes(reader))
}

/** What a machine is called by a certificate of its own; null where it is none, or for the other role. */
export const ownChannelId = (certificate: string, role: ChannelRole): string | null => {
  try {
    const [, id = ''] = NAME.exec(new X509Certificate(certificate).subjectAltName ?? '') ?? []
    judgeCertificate(id, certificate, USES[role])
    return id
  } catch {
    return null
  }
}

/**
 * Gives this machine its name at the web channel, with another key where it has another name or role, and
 * sets whom it lets in or asks. Throws `ChannelRefused` for a certificate that is not the other role's.
 */
export const arrangeChannel = async (
  directory: string,
  { id, role, peers }: { id: string; role: ChannelRole; peers: readonly ChannelPeer[] },
  reader: Reader,
): Promise<void> => {
  const file = channelCertificateFile(directory)
  for (const peer of peers)
    if (ownChannelId(peer.certificate, role === 'host' ? 'front' : 'host') !== peer.id)
      throw new ChannelRefused(`what it is told of ${peer.id} is no certificate of it`)
  // Whoever is named twice is refused before a key is made.
  const text = peersText(peers)
  const isOwn = existsSync(file) && ownChannelId(readFileSync(file, 'utf8'), role) === id
  if (!isOwn) await makeOwn(directory, { id, role }, reader)
  const list = channelPeersFile(directory)
  if (!existsSync(list) || readFileSync(list, 'utf8') !== text)
    writeWhole(list, text, modes(reader))
}

/**
 * What others need of this machine, as one line without a secret. Its key is made the first time;
 * `id` is its name at the channel from then on. Throws `ChannelRefused` where it has another one.
 */
export const ownChannelLine = async (
  directory: string,
  { id, role }: { id: string; role: ChannelRole },
  reader: Reader,
): Promise<string> => {
  if (!linkId.safeParse(id).success)
    throw new ChannelRefused(`${JSON.stringify(id)} is not an id: letters, digits and "-"`)
  if (!existsSync(channelCertificateFile(directory))) await makeOwn(directory, { id, role }, reader)
  const certificate = linkCertificate.parse(readFileSync(channelCertificateFile(directory), 'utf8'))
  try {
    judgeCertificate(id, certificate, USES[role])
  } catch {
    throw new ChannelRefused('this machine has another id or role there already')
  }
  const text = JSON.stringify(lineSchema.parse({ id, role, certificate }))
  return `${PREFIX}${toBase64Url(new TextEncoder().encode(text))}`
}

const parseLine = (line: string): z.output<typeof lineSchema> => {
  try {
    if (!line.startsWith(PREFIX) || line.length > MAX_CHARACTERS) throw new Error('it is no line')
    const bytes = fromBase64Url(line.slice(PREFIX.length))
    const said = lineSchema.parse(JSON.parse(new TextDecoder().decode(bytes)))
    judgeCertificate(said.id, said.certificate, USES[said.role])
    return said
  } catch {
    throw new ChannelRefused('that is not what "berth agent web-channel" prints')
  }
}

/** Takes another machine into the list, in place of one of the same id. Throws `ChannelRefused`. */
export const trustAtChannel = (directory: string, line: string, reader: Reader): string => {
  const { id, certificate } = parseLine(line.trim())
  if (!existsSync(channelCertificateFile(directory)))
    throw new ChannelRefused('this machine has no key there yet; see "berth agent web-channel"')
  write(
    directory,
    [...channelPeers(directory).filter((peer) => peer.id !== id), { id, certificate }],
    reader,
  )
  return id
}

/** Takes a machine out of the list, which ends its connections. Throws `ChannelRefused` for one that is not in it. */
export const forgetAtChannel = (directory: string, id: string, reader: Reader): string[] => {
  const peers = channelPeers(directory)
  const left = peers.filter((peer) => peer.id !== id)
  if (left.length === peers.length) throw new ChannelRefused(`no machine ${id} is in the list`)
  write(directory, left, reader)
  return left.map((peer) => peer.id)
}
