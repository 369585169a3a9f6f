import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parseListenAddress } from '#handlers/domain/config/listen.ts'
import { serveLink } from '../link/serve-link.ts'
import type { RunningLink } from '../link/serve-link.ts'
import { linkDirectory } from '../layout/link-directory.ts'
import { createLog } from '../process/create-log.ts'

/** Entry of the link, as user berth-link: `node adapters/node/bin/link.ts --state-dir DIR --run-dir DIR --listen ADDRESS:PORT`. */
const log = createLog('link')

const start = async (): Promise<RunningLink> => {
  const { values } = parseArgs({
    options: {
      'state-dir': { type: 'string' },
      'run-dir': { type: 'string' },
      listen: { type: 'string', multiple: true },
      'tunnel-fd': { type: 'string' },
    },
  })
  const { 'state-dir': stateDir, 'run-dir': runDir, 'tunnel-fd': tunnelFd, listen = [] } = values
  if (stateDir === undefined || runDir === undefined)
    throw new Error('Say where things are: --state-dir DIR --run-dir DIR')
  return serveLink({
    listen: listen.map((address) => {
      const parsed = parseListenAddress(address)
      if (parsed === null) throw new Error(`"${address}" is not an address with a port.`)
      return { host: parsed.host, port: parsed.port, ipv6Only: parsed.family === 6 }
    }),
    directory: linkDirectory({ state_dir: stateDir }),
    socketPath: join(runDir, 'agent-link.sock'),
    tunnelFd: tunnelFd === undefined ? null : Number(tunnelFd),
    log,
  })
}

process.umask(0o077)
const running = start()
const stop = (): void => void running.then((link) => link.close()).finally(() => process.exit(0))

// The terminal's Ctrl+C is the supervisor's alone.
process.on('SIGINT', () => undefined)
process.on('SIGHUP', () => undefined)
process.on('SIGUSR1', () => undefined)
process.on('SIGTERM', stop)
process.on('disconnect', () => process.exit(0))

running.then(
  (link) => process.send?.({ type: 'ready', ports: link.ports() }),
  (error: unknown) => {
    log.error('the link did not start', { error: String(error) })
    if (process.send === undefined) process.exit(1)
    process.send({ type: 'failed', message: String(error) }, () => process.exit(1))
  },
)
