import type { ServerConfig } from './config-types.ts'
import { parseListenAddress } from './listen.ts'

/** Of the web tool for databases, as the panel's own is 7070. */
const USUAL_PORT = 7071

type Listening = Pick<ServerConfig, 'server' | 'api' | 'link'> & {
  panel: Pick<ServerConfig['panel'], 'listen'>
}

/** Ports that the panel, the sites, the management API and the link listen at. */
export const listenPorts = ({ panel, server, api, link }: Listening): Set<number> =>
  new Set(
    [
      ...[...panel.listen, ...server.listen, ...server.listen_ssl, ...server.front_listen],
      ...[...api.listen, ...link.listen],
    ].map((entry) => parseListenAddress(entry)?.port ?? 0),
  )

/** The port of the web tool for databases where none is named: 7071, or the next that nothing else of ours has. */
export const usualToolPort = (config: Listening): number => {
  const taken = listenPorts(config)
  let port = USUAL_PORT
  while (taken.has(port)) port += 1
  return port
}
