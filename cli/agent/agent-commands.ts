import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasLink } from '#handlers/domain/config/listen.ts'
import {
  forgetPanel,
  joinByToken,
  requireRootOwner,
  TrustRefused,
} from '#adapters/node/link-trust/join.ts'
import { linkDirectory, readTrust } from '#adapters/node/link-trust/trust-file.ts'
import { findUser, LINK_USER } from '#adapters/node/process/identities.ts'
import { CliError } from '../cli-error.ts'
import { loadOrFail } from '../load-or-fail.ts'
import type { LocalCall, ResourceSpec } from '../panel/frame/command-types.ts'
import { readSecret } from '../read-password.ts'
import { webChannelCommands } from './web-channel.ts'

/** Whose machine it is, and who may read what lies in the directory of the link. */
const place = async (configFile: string) => {
  // It says where root writes.
  const unsafe = requireRootOwner(configFile)
  if (unsafe !== null) throw new CliError(unsafe)
  const config = await loadOrFail(configFile)
  const isRoot = process.getuid?.() === 0
  const user = isRoot ? findUser(LINK_USER) : null
  if (isRoot && user === null)
    throw new CliError(
      `The system user ${LINK_USER} does not exist yet. Start Berth once; it makes it.`,
    )
  return { config, directory: linkDirectory(config.paths), reader: user }
}

/** What is refused, and what only root may do, told without a stack. */
const told = async <T>(work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TrustRefused) throw new CliError(error.message)
    if (error instanceof Error && 'code' in error && ['EACCES', 'EPERM'].includes(`${error.code}`))
      throw new CliError(`${error.message}. Run it as root, or who started Berth.`)
    throw error
  }
}

const obey = async ({ configFile, args, print }: LocalCall): Promise<void> => {
  const { config, directory, reader } = await place(configFile)
  if (!hasLink(config))
    throw new CliError(
      `Say first where this machine is reached: [link] listen = "ADDRESS:7072" in ${config.file}, then berth service restart.`,
    )
  const token = args[0] || (await readSecret('Token: '))
  const { list } = await told(() => joinByToken(directory, token, reader))
  const panels = list.panels.map(({ id }) => id)
  print(
    { host: list.host, role: list.role, panels },
    `This machine is ${list.host} now and obeys ${panels.join(', ')}. The panel connects within its 15 minutes: berth host open NAME there.`,
  )
}

const show = async ({ configFile, print }: LocalCall): Promise<void> => {
  const { config, directory } = await place(configFile)
  const held = await told(() => readTrust(directory))
  const panels = held?.list.panels.map(({ id }) => id) ?? []
  const { listen, tunnel_group } = config.link
  const ways = [...listen, ...(tunnel_group === null ? [] : [`a tunnel of ${tunnel_group}`])]
  print(
    {
      listen,
      tunnel_group,
      host: held?.list.host ?? null,
      role: held?.list.role ?? null,
      version: held?.list.version ?? null,
      panels,
      forgotten: held?.forgotten ?? [],
    },
    held === null || panels.length === 0
      ? 'This machine obeys no panel on another machine.'
      : `${held.list.host} (${held.list.role}) obeys ${panels.join(', ')} by list ${held.list.version}, at ${ways.join(', ') || 'no address'}.`,
  )
}

const forget = async ({ configFile, args: [id = ''], print }: LocalCall): Promise<void> => {
  const { directory, reader } = await place(configFile)
  const { list } = await told(() => forgetPanel(directory, id, reader))
  const left = list.panels.map((panel) => panel.id)
  print(
    { forgotten: id, panels: left },
    left.length === 0
      ? `${id} is forgotten. No panel is left: the link is shut.`
      : `${id} is forgotten. Left: ${left.join(', ')}.`,
  )
}

const allow = async ({ configFile, print }: LocalCall): Promise<void> => {
  const { config } = await place(configFile)
  const file = join(config.paths.state_dir, 'agent', 'allow-removals')
  await told(() => writeFileSync(file, '', { mode: 0o600 }))
  const until = new Date(statSync(file).mtimeMs + 3_600_000).toISOString()
  print({ until }, `Panels may remove any number of accounts from this machine until ${until}.`)
}

/** `berth agent …`: which panels on other machines this one obeys. For root on the machine itself. */
export const agent: ResourceSpec = {
  name: 'agent',
  summary: 'which panels on other machines this one obeys, as root',
  commands: {
    show: {
      summary: 'show the panels that are trusted here',
      examples: ['berth agent show'],
      act: show,
    },
    join: {
      summary: 'obey the panel that gave out a token',
      note: 'Without a token it is read from standard input. A machine that obeys a panel joins no other.',
      args: [['[token]', 'as "berth host add" printed it at the panel']],
      examples: ['berth agent join', 'berth agent join berth-join-1.eyJzZWVk...'],
      act: obey,
    },
    'forget-panel': {
      summary: 'obey a panel no more, at once and for good',
      args: [['<id>', 'as "berth agent show" names it']],
      examples: ['berth agent forget-panel panel-4f2a91c0'],
      act: forget,
    },
    'allow-removals': {
      summary: 'for an hour, let panels remove more accounts than five or a tenth of all',
      examples: ['berth agent allow-removals'],
      act: allow,
    },
    ...webChannelCommands,
  },
}
