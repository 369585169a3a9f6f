import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { createPhpOrigin } from '#adapters/node/php-backends/php-origin.ts'
import { createSite, vhostOf, type Site } from '#test/contract/sites/sites-harness.ts'
import { directory, makeDirectory } from '#test/support/setups/temporary-directory.ts'
import { memoryFiles } from '#test/unit/sites/memory-site.ts'

/** What stands in place of PHP in a test. */
export const backend = {
  connections: 0,
  open: new Set<Socket>(),
  /** What it does with the n-th piece (from 1) of a connection; a request of these tests is one, but for large bodies. */
  behave: (_socket: Socket, _nth: number): unknown => undefined,
}

/** Gives each test a backend of its own; with `once` it hears of the first piece of a connection alone. */
export const hostilePhp = (listen: 'on' | 'once' = 'on'): void => {
  let server: Server
  beforeEach(async () => {
    makeDirectory()
    Object.assign(backend, { connections: 0, open: new Set<Socket>() })
    server = createServer((socket) => {
      backend.connections += 1
      backend.open.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => backend.open.delete(socket))
      let pieces = 0
      socket[listen]('data', () => backend.behave(socket, ++pieces))
    }).listen(join(directory, 'php.sock'))
    await once(server, 'listening')
  })
  afterEach(async () => {
    for (const socket of backend.open) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
}

/** A site whose PHP is that backend. */
export const hostileSite = (
  protocol: 'fastcgi' | 'lsapi',
  { timeoutMs = 2000, ...more }: { timeoutMs?: number; idleMs?: number } = {},
): Site =>
  createSite({
    vhosts: [vhostOf()],
    files: memoryFiles({ '/x.php': 'x' }),
    php: (log) =>
      createPhpOrigin({
        ensure: async () => ({ socket: join(directory, 'php.sock'), uid: null, protocol }),
        log,
        requestTimeoutMs: timeoutMs,
        maxConnectionsPerBackend: 2,
        ...more,
      }),
  })
