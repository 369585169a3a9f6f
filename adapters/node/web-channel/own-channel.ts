import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { createLinkCertificate } from '#adapters/shared/host-rpc/link/link-certificate.ts'
import { linkCertificate, linkId } from '#adapters/shared/host-rpc/link/trust-list.ts'
import { fromBase64Url, toBase64Url } from '#handlers/domain/text/base64-url.ts'
import { writeWhole } from '../layout/write-whole.ts'
import { judgeCertificate } from '../link-trust/trust-file.ts'
import {
  channelCertificateFile,
  channelKeyFile,
  channelPeersFile,
  parsePeers,
  peersText,
  type ChannelPeer,
} from './channel-files.ts'

/** What a machine is at the web channel: a host answers fronts. */
export type ChannelRole = 'host' | 'front'

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
const USES = { host: 'server', front: 'client' } as const

const modes = (reader: Reader) => ({
  mode: reader === null ? 0o600 : 0o640,
  ...(reader !== null && { owner: { uid: 0, gid: reader.gid } }),
})

/** The machines that the list names now. */
const held = (directory: string): ChannelPeer[] => {
  const file = channelPeersFile(directory)
  if (!existsSync(file)) return []
  return parsePeers(readFileSync(file, 'utf8')).map(({ id, certificate }) => ({ id, certificate }))
}

const write = (directory: string, peers: readonly ChannelPeer[], reader: Reader): void =>
  writeWhole(channelPeersFile(directory), peersText(peers), modes(reader))

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
  if (!existsSync(channelCertificateFile(directory))) {
    const own = await createLinkCertificate(id, USES[role])
    mkdirSync(directory, { recursive: true })
    // Whatever the umask says: the web server enters it, and its group reads what lies there.
    chmodSync(directory, 0o755)
    writeWhole(channelKeyFile(directory), own.key, modes(reader))
    if (!existsSync(channelPeersFile(directory))) write(directory, [], reader)
    // Last of all: with it the key counts.
    writeWhole(channelCertificateFile(directory), own.certificate, modes(reader))
  }
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
    [...held(directory).filter((peer) => peer.id !== id), { id, certificate }],
    reader,
  )
  return id
}

/** Takes a machine out of the list, which ends its connections. Throws `ChannelRefused` for one that is not in it. */
export const forgetAtChannel = (directory: string, id: string, reader: Reader): string[] => {
  const peers = held(directory)
  const left = peers.filter((peer) => peer.id !== id)
  if (left.length === peers.length) throw new ChannelRefused(`no machine ${id} is in the list`)
  write(directory, left, reader)
  return left.map((peer) => peer.id)
}
