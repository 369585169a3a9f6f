import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { ChannelPeer } from '#handlers/ports/host/web/web-channel.ts'
import { linkCertificate, linkId } from '#adapters/shared/host-rpc/link/trust-list.ts'

/** Fronts of a host, or hosts of a front. */
const MAX_PEERS = 1000
const MAX_BYTES = 8 * 2 ** 20

const listSchema = z.strictObject({
  v: z.literal(1),
  peers: z
    .array(z.strictObject({ id: linkId, certificate: linkCertificate }))
    .max(MAX_PEERS)
    .refine((peers) => new Set(peers.map(({ id }) => id)).size === peers.length, {
      error: 'a machine is named twice',
    }),
})

/** What a machine has for the web channel. */
export interface ChannelKeys {
  /** Its own, PEM. */
  key: string
  certificate: string
  peers: readonly (ChannelPeer & { fingerprint: string })[]
}

/** Where they lie: written by the agent, read by the web server. */
export const channelDirectory = (stateDir: string): string => join(stateDir, 'web-channel')
export const channelKeyFile = (directory: string): string => join(directory, 'key.pem')
export const channelCertificateFile = (directory: string): string =>
  join(directory, 'certificate.pem')
export const channelPeersFile = (directory: string): string => join(directory, 'peers.json')

/** The text of a list, judged. Throws for what is none. */
export const peersText = (peers: readonly ChannelPeer[]): string =>
  `${JSON.stringify(listSchema.parse({ v: 1, peers }))}\n`

/** The machines of a list. Throws for what is none. */
export const parsePeers = (text: string): ChannelKeys['peers'] => {
  if (text.length > MAX_BYTES) throw new Error('the list of machines is too large')
  return listSchema.parse(JSON.parse(text)).peers.map((peer) => ({
    ...peer,
    fingerprint: new X509Certificate(peer.certificate).fingerprint256,
  }))
}

/** The keys and the list as the files say it now. */
export interface WatchedChannel {
  /** Null: there are none, or they cannot be read; then nobody is let in, and nothing is asked. */
  now(): ChannelKeys | null
}

/**
 * Looks at the files whenever it is asked, so that a machine that was taken from the list is a
 * stranger at the next connection. What cannot be read is told once.
 */
export const watchChannel = (
  directory: string,
  onProblem: (error: unknown) => void,
): WatchedChannel => {
  const files = [channelKeyFile, channelCertificateFile, channelPeersFile].map((of) =>
    of(directory),
  )
  let stamp: string | null = null
  let held: ChannelKeys | null = null
  return {
    now() {
      let seen = ''
      try {
        seen = files
          .map((file) => {
            const { ino, size, mtimeMs, ctimeMs } = statSync(file)
            return [ino, size, mtimeMs, ctimeMs].join()
          })
          .join(' ')
        if (seen === stamp) return held
        const [key = '', certificate = '', peers = ''] = files.map((file) =>
          readFileSync(file, 'utf8'),
        )
        held = { key, certificate, peers: parsePeers(peers) }
      } catch (error) {
        held = null
        if (seen !== stamp) onProblem(error)
      }
      stamp = seen
      return held
    },
  }
}
