import { requireRootOwner } from '#adapters/node/link-trust/join.ts'
import { findUser, WEB_USER } from '#adapters/node/process/identities.ts'
import { channelDirectory } from '#adapters/node/web-channel/channel-files.ts'
import {
  ChannelRefused,
  forgetAtChannel,
  ownChannelLine,
  trustAtChannel,
} from '#adapters/node/web-channel/own-channel.ts'
import { renderFrontHost } from '#handlers/domain/config/proxy/front-config.ts'
import { parseProxyUpstream } from '#handlers/domain/upstreams/proxy-upstream.ts'
import { CliError } from '../cli-error.ts'
import { loadOrFail } from '../load-or-fail.ts'
import type { LocalCall, ResourceSpec } from '../panel/frame/command-types.ts'

const place = async (configFile: string) => {
  // It says where root writes.
  const unsafe = requireRootOwner(configFile)
  if (unsafe !== null) throw new CliError(unsafe)
  const config = await loadOrFail(configFile)
  const isRoot = process.getuid?.() === 0
  const reader = isRoot ? findUser(WEB_USER) : null
  if (isRoot && reader === null)
    throw new CliError(
      `The system user ${WEB_USER} does not exist yet. Start Berth once; it makes it.`,
    )
  return { directory: channelDirectory(config.paths.state_dir), reader }
}

/** What is refused, told without a stack. */
const told = async <T>(work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ChannelRefused) throw new CliError(error.message)
    if (error instanceof Error && 'code' in error && ['EACCES', 'EPERM'].includes(`${error.code}`))
      throw new CliError(`${error.message}. Run it as root, or who started Berth.`)
    throw error
  }
}

const show = async ({ configFile, args, print }: LocalCall): Promise<void> => {
  const { directory, reader } = await place(configFile)
  const [id = '', role = ''] = args
  if (role !== 'host' && role !== 'front')
    throw new CliError('Say what this machine is: host, where accounts live, or front.')
  const line = await told(() => ownChannelLine(directory, { id, role }, reader))
  print({ id, role, line }, line)
}

const trust = async ({ configFile, args: [line = ''], print }: LocalCall): Promise<void> => {
  const { directory, reader } = await place(configFile)
  const id = await told(() => trustAtChannel(directory, line, reader))
  print({ trusted: id }, `${id} is known at the web channel now.`)
}

const forget = async ({ configFile, args: [id = ''], print }: LocalCall): Promise<void> => {
  const { directory, reader } = await place(configFile)
  const left = await told(() => forgetAtChannel(directory, id, reader))
  const others = left.length === 0 ? 'Nobody is left.' : `Left: ${left.join(', ')}.`
  print({ forgotten: id, left }, `${id} is a stranger at the web channel. ${others}`)
}

const sites = async ({ configFile, args, print }: LocalCall): Promise<void> => {
  const [channel = '', address = ''] = args
  const { virtualhost } = await loadOrFail(configFile)
  const upstream = parseProxyUpstream(`https://${address}`)
  if (typeof upstream === 'string' || upstream.kind !== 'tcp')
    throw new CliError(
      `${address} is no address. Write where fronts reach [server] front_listen here, such as 10.0.0.2:7443.`,
    )
  const toml = virtualhost.map((host) => renderFrontHost(host, { address, channel })).join('\n')
  print({ sites: virtualhost.length, toml }, toml.trimEnd())
}

/** Commands of `berth agent` about fronts and the hosts behind them. */
export const webChannelCommands: ResourceSpec['commands'] = {
  'web-channel': {
    summary: 'print what the other end of the web channel needs of this machine',
    note: 'Makes its key the first time. The line holds no secret; "berth agent web-trust" takes it at the other machine.',
    args: [
      ['<id>', 'what this machine is called there'],
      ['<role>', 'host or front'],
    ],
    examples: ['berth agent web-channel two host', 'berth agent web-channel front-a front'],
    act: show,
  },
  'web-trust': {
    summary: 'let a front ask this host, or know a host at this front',
    args: [['<line>', 'as "berth agent web-channel" printed it there']],
    examples: ['berth agent web-trust berth-web-1.eyJpZCI6...'],
    act: trust,
  },
  'web-forget': {
    summary: 'take a machine off the list, which ends its connections',
    args: [['<id>', 'as it is called at the web channel']],
    examples: ['berth agent web-forget front-a'],
    act: forget,
  },
  'web-sites': {
    summary: 'print the sites of this host as its fronts have them, for their berth.toml',
    note: 'Names, certificates, suspension and rules of the page cache are those here. Files of certificates are named by their paths here; bring them along.',
    args: [
      ['<id>', 'what this host is called at the web channel'],
      ['<address>', 'where fronts reach front_listen here, with its port'],
    ],
    examples: ['berth agent web-sites two 10.0.0.2:7443'],
    act: sites,
  },
}
