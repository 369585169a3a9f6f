import { existsSync, readFileSync } from 'node:fs'
import { invalid } from '#handlers/errors.ts'
import type {
  ChannelRole,
  ChannelState,
  WebChannelPort,
} from '#handlers/ports/host/web/web-channel.ts'
import { channelCertificateFile, channelDirectory } from '../../web-channel/channel-files.ts'
import {
  arrangeChannel,
  ChannelRefused,
  channelPeers,
  ownChannelId,
} from '../../web-channel/own-channel.ts'

/** Where the keys of the web channel lie, and who reads them. */
export interface WebChannelDeps {
  stateDir: string
  /** Of the web server; null in rootless mode. */
  reader: { gid: number } | null
  /** Where fronts are let in, as the configuration says now. */
  listen: () => readonly string[]
}

/** How this machine stands at the web channel; by a panel's order, where nobody does it by hand. */
export const createWebChannelPort = ({
  stateDir,
  reader,
  listen,
}: WebChannelDeps): WebChannelPort => {
  const directory = channelDirectory(stateDir)
  const state = (role: ChannelRole): ChannelState => {
    const file = channelCertificateFile(directory)
    const certificate = existsSync(file) ? readFileSync(file, 'utf8') : null
    const id = certificate === null ? null : ownChannelId(certificate, role)
    return {
      id,
      certificate: id === null ? null : certificate,
      peers: channelPeers(directory),
      listen: [...listen()],
    }
  }
  return {
    state: async ({ role }) => state(role),
    async arrange({ id, role, peers }) {
      try {
        await arrangeChannel(directory, { id, role, peers }, reader)
      } catch (error) {
        if (error instanceof ChannelRefused) throw invalid('peers', error.message)
        throw error
      }
      return state(role)
    },
  }
}
