import path from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import type { Log } from '#handlers/ports/log.ts'
import { MARIADB_PORT, POSTGRESQL_PORT } from '../compose-engines.ts'
import type { MakeListener } from '../compose-engines.ts'
import type { Engine } from '../engine.ts'
import { describeCertificate, remotePair } from './remote-certificate.ts'
import type { RemoteAccess } from './remote-port.ts'
import { remoteListener } from './server-certificate.ts'
import type { RemoteListener } from './server-certificate.ts'

/** How databases are reached from other machines, by the configuration: `listener` is for the engines that are made. */
export const composeAccess = (
  config: Pick<ServerConfig, 'databases' | 'panel' | 'paths' | 'ssh'>,
  log: Log,
): { access: RemoteAccess | null; listener: MakeListener } => {
  const { databases, panel, paths, ssh } = config
  const pair = remotePair(config, log)
  const listeners: [Engine['name'], RemoteListener][] = []
  const wanted = { mariadb: databases.mariadb_remote, postgresql: databases.postgresql_remote }
  const ports = { mariadb: MARIADB_PORT, postgresql: POSTGRESQL_PORT }
  return {
    listener(engine, runAs) {
      if (!wanted[engine]) return null
      const directory = path.join(paths.state_dir, 'databases', 'tls', engine)
      const listener = remoteListener(ports[engine], directory, runAs, pair)
      listeners.push([engine, listener])
      return listener
    },
    access:
      wanted.mariadb || wanted.postgresql
        ? {
            host: ssh.host ?? (panel.tls.includes('.') ? panel.tls : null),
            certificate: () => describeCertificate(pair()),
            async renewed() {
              const changed: Engine['name'][] = []
              for (const [engine, listener] of listeners)
                if (await listener.lay()) changed.push(engine)
              return changed
            },
          }
        : null,
  }
}
