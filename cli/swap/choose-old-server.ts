import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { findOldServers } from '#adapters/node/swap/find-old-servers.ts'
import type { OldServer } from '#adapters/node/swap/swap-types.ts'
import type { LegacySource } from '#handlers/domain/legacy/convert-legacy.ts'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'
import { CliError } from '../cli-error.ts'
import { findSource } from '../convert/find-source.ts'

const shown = ({ program, configFile, listening }: OldServer): string =>
  `  ${program}  --from ${configFile}  (ports ${listening.map(({ port }) => port).join(', ') || 'none'})`

const isFrom = (server: OldServer, from: string): boolean =>
  server.configFile === from || server.configFile.startsWith(`${from}/`)

/** The server that runs with `--from`, or the one that holds ports of Berth; null: none runs. */
export const chooseOldServer = async (
  from: string | undefined,
  { server }: Pick<ServerConfig, 'server'>,
  hasSystemd: boolean,
): Promise<OldServer | null> => {
  const found = await findOldServers(hasSystemd)
  const place = from === undefined ? null : resolve(from)
  if (place !== null && statSync(place, { throwIfNoEntry: false }) === undefined)
    throw new CliError(
      `${place} does not exist. Name the other server's main file, or its directory.`,
    )
  const ports = new Set(
    [...server.listen, ...server.listen_ssl].map((address) => parseListenAddress(address)?.port),
  )
  const fitting = found.filter((one) =>
    place === null ? one.listening.some(({ port }) => ports.has(port)) : isFrom(one, place),
  )
  if (fitting.length > 1)
    throw new CliError(
      `Several web servers run. Say which one is meant:\n${fitting.map(shown).join('\n')}`,
    )
  const [chosen] = fitting
  if (chosen !== undefined) return chosen
  if (place !== null) return null
  const others =
    found.length === 0 ? '' : ` These run on other ports:\n${found.map(shown).join('\n')}`
  throw new CliError(
    `No Apache httpd or nginx runs on the ports of [server] in the configuration.${others}`,
  )
}

/** What is converted: the configuration that the running server uses, else what `--from` names. */
export const sourceOf = (old: OldServer | null, from: string | undefined): LegacySource => {
  if (old === null) return findSource(from ?? '')
  const environment = new Map(Object.entries(old.env))
  const source = { kind: old.kind, paths: [old.configFile], base: old.base }
  return environment.size > 0 ? { ...source, environment } : source
}
