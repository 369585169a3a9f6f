import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { serveSignedCalls } from '#adapters/node/agent/link/serve-signed-calls.ts'
import { openRegistry } from '#adapters/node/agent/registry/registry.ts'
import { joinByToken } from '#adapters/node/link-trust/join.ts'
import { linkDirectory } from '#adapters/node/layout/link-directory.ts'
import { serveLink } from '#adapters/node/link/serve-link.ts'
import { createHostHandler } from '#adapters/shared/host-rpc/host-handler.ts'
import { createFakeHost } from '#test/fakes/fake-host.ts'
import { createRecordingLog } from '#test/fakes/recording-log.ts'

/** A machine that is to join. */
export interface Invitation {
  /** Where its link listens on 127.0.0.1. */
  port: number
  token: string
}

/** What the program is told once: where it may write, and who joins. It answers `ready`. */
export interface Orders {
  directory: string
  invitations: Invitation[]
}

/**
 * Many machines in one process: link, signed calls, trust and registry of each are the real ones, and what
 * they ask is held in memory. Ends with its parent.
 */
const machine = async (directory: string, { port, token }: Invitation): Promise<void> => {
  const paths = { state_dir: join(directory, 'state'), run_dir: join(directory, 'run') }
  for (const path of [join(paths.state_dir, 'agent'), paths.run_dir])
    mkdirSync(path, { recursive: true })
  const link = linkDirectory(paths)
  await joinByToken(link, token, null)
  const log = createRecordingLog()
  const registry = openRegistry(join(directory, 'registry.db'))
  const handler = createHostHandler(createFakeHost().ports, log)
  await serveSignedCalls({ paths, reader: null, registry, handler, log })
  await serveLink({
    listen: [{ host: '127.0.0.1', port, ipv6Only: false }],
    directory: link,
    socketPath: join(paths.run_dir, 'agent-link.sock'),
    log,
  })
}

process.once('disconnect', () => process.exit(0))
process.once('message', (orders: Orders) => {
  const { directory, invitations } = orders
  Promise.all(invitations.map((one, at) => machine(join(directory, String(at)), one))).then(
    () => process.send?.('ready'),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
