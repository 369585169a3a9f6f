import type { Server } from 'node:http'
import { join } from 'node:path'
import type { ServerConfig } from '#handlers/domain/config/config-types.ts'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'
import { createManagementApp } from '#handlers/management/app.ts'
import type { ManagementPort } from '#handlers/management/management-port.ts'
import type { Log } from '#handlers/ports/log.ts'
import { bindControlSocket } from '../../process/bind-control-socket.ts'
import type { InheritedListener } from '../listeners.ts'
import { createControlApp, type ControlPort } from './control-app.ts'
import { createFetchServer } from './fetch-server.ts'
import type { SiteCache } from './site-cache.ts'
import { managementToken } from './management-token.ts'

/** Pause before a management address that another program holds is tried again. */
const RETRY_MS = 2000

const listen = (
  server: Server,
  where: { fd: number } | { host: string; port: number },
): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      resolve()
    })
  })

/**
 * Opens the control socket (inherited, or bound here when started by hand) and
 * the management listeners. A busy management port keeps no site from being
 * served: it is reported and tried again.
 */
export const openControl = async (
  config: ServerConfig,
  inherited: readonly InheritedListener[],
  ports: { control: ControlPort; management: ManagementPort; siteCache: SiteCache },
  log: Log,
): Promise<{ close(): void }> => {
  const servers: Server[] = []
  const timers = new Set<NodeJS.Timeout>()
  const control = createFetchServer(createControlApp(ports.control, ports.siteCache), log)
  servers.push(control)
  const fd =
    inherited.find(({ kind }) => kind === 'control')?.fd ??
    bindControlSocket(join(config.paths.run_dir, 'web.sock'), null).fd
  await listen(control, { fd })

  const token = managementToken(config.paths.run_dir)
  const openManagement = async (address: string): Promise<void> => {
    const parsed = parseListenAddress(address)
    if (parsed === null) return
    const { host, port } = parsed
    const allowedHosts = parsed.loopback ? [] : [parsed.family === 6 ? `[${host}]` : host]
    const app = createManagementApp({ port: ports.management, token, allowedHosts, log })
    const server = createFetchServer(app, log)
    try {
      await listen(server, { host, port })
      server.on('error', (error) =>
        log.error('the management listener failed', { error: error.message }),
      )
      servers.push(server)
    } catch (error) {
      log.error('the management API cannot listen and is tried again', {
        address,
        error: String(error),
      })
      const timer = setTimeout(() => {
        timers.delete(timer)
        void openManagement(address)
      }, RETRY_MS)
      timers.add(timer)
    }
  }
  await Promise.all(config.api.listen.map(openManagement))
  return {
    close: () => {
      for (const timer of timers) clearTimeout(timer)
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}
